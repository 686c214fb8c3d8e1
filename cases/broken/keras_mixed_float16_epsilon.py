# breaks: value(build(), [[0.0, 0.0]])
import tensorflow as tf
from tensorflow import keras
from tensorflow.keras import layers, mixed_precision


class Normalise(layers.Layer):
    def call(self, x):  # todo-expect: NAN502
        return x / (tf.reduce_sum(tf.abs(x), axis=-1, keepdims=True) + 1e-8)


def build():
    return Normalise(dtype="mixed_float16")
