# breaks: value(normalise, [[0.0, 0.0]])
import tensorflow as tf
from tensorflow.keras import mixed_precision
from tensorflow.keras.layers import Layer

mixed_precision.set_global_policy("mixed_float16")


class Normalise(Layer):
    def call(self, x):
        total = tf.reduce_sum(x, axis=-1, keepdims=True)
        return x / (total + 1e-8)  # expect: NAN502 unsafe


def normalise(x):
    layer = Normalise()
    mixed_precision.set_global_policy("float32")
    return layer(x)
