# breaks: value(share_above_middle, [[1.0, 1.0], [0.0, -2.0]])
import tensorflow as tf


def share_above_middle(x):
    above = tf.cast(x > tf.reduce_mean(x, axis=1, keepdims=True), tf.float32)
    return above / tf.reduce_sum(above, axis=1, keepdims=True)  # expect: NAN302 unsafe


print(share_above_middle(tf.constant([[1.0, 1.0], [0.0, -2.0]])))
