# breaks: value(normalised, [[0.0, 0.0]])
import keras
import tensorflow as tf


class Normalise(keras.layers.Layer):
    def call(self, x):
        total = tf.reduce_sum(x, axis=-1, keepdims=True)
        return x / (total + 1e-8)  # expect: NAN502 no-fix


def compute_in(policy):
    if policy == "half":
        keras.mixed_precision.set_global_policy("mixed_float16")


def normalised(x):
    compute_in("half")
    try:
        return Normalise()(x)
    finally:
        keras.mixed_precision.set_global_policy("float32")
