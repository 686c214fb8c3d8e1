# breaks: value(lambda x: built(QuantDense(), x), [[0.0]])
import tensorflow as tf
from tensorflow import keras


class QuantDense(keras.layers.Layer):
    def build(self, input_shape):
        self.log_scale = self.add_weight(
            shape=(), initializer=keras.initializers.Constant(-120.0), name="log_scale"
        )

    def call(self, x):
        scale = tf.exp(self.log_scale)  # expect: NAN212 no-fix
        return tf.round(x / scale) * scale


def built(layer, x):
    layer.build(x.shape)
    return layer.call(x)
