# holds: value(build(), [[0.0, 0.0]])
import tensorflow as tf
from tensorflow.keras import layers, mixed_precision


class Normalise(layers.Layer):
    def call(self, x):
        wide = tf.cast(x, tf.float32)
        return tf.cast(wide / (tf.reduce_sum(tf.abs(wide), axis=-1, keepdims=True) + 1e-8), x.dtype)


def build():
    return Normalise(dtype="mixed_float16")
