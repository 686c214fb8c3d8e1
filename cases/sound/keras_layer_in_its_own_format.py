"""A layer computes in the format that it is made with, whatever the policy is: 1e-8 is no 0 there."""

# holds: value(lambda x: scaled(Scale(), x), [[0.0, 0.0]])
# holds: value(lambda x: scaled(Plain(dtype="float32"), x), [[0.0, 0.0]])
import tensorflow as tf
from tensorflow.keras import mixed_precision

mixed_precision.set_global_policy("mixed_float16")


class Scale(tf.keras.layers.Layer):
    def __init__(self):
        super().__init__(dtype="float32")

    def call(self, x):
        return x / (tf.reduce_sum(x, axis=-1, keepdims=True) + 1e-8)


class Plain(tf.keras.layers.Layer):
    def call(self, x):
        return x / (tf.reduce_sum(x, axis=-1, keepdims=True) + 1e-8)


plain = Plain(dtype="float32")


def scaled(layer, x):
    return layer(tf.cast(x, tf.float16))


mixed_precision.set_global_policy("float32")
