# holds: value(share_of_largest, [[1.0, 1.0], [0.0, -2.0]])
import tensorflow as tf


def share_of_largest(x):
    largest = tf.where(x == tf.reduce_max(x, axis=1, keepdims=True), 1.0, 0.0)
    return largest / tf.reduce_sum(largest, axis=1, keepdims=True)


print(share_of_largest(tf.constant([[1.0, 1.0], [0.0, -2.0]])))
