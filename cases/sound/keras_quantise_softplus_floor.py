# holds: value(lambda x: built(QuantDense(), x), [[0.0]])
import tensorflow as tf
from tensorflow import keras


class QuantDense(keras.layers.Layer):
    def build(self, input_shape):
        self.raw = self.add_weight(shape=(), initializer="zeros", name="raw")

    def call(self, x):
        scale = tf.nn.softplus(self.raw) + 1e-3
        return tf.round(x / scale) * scale


def built(layer, x):
    layer.build(x.shape)
    return layer.call(x)
