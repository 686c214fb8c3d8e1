# breaks: gradient(distance, [[1.0, 2.0]], [[1.0, 2.0]])
import tensorflow as tf


def distance(target, y):
    mask = tf.constant([[0.0, 0.0]])
    return tf.reduce_sum(tf.norm((target - y) * mask, axis=0))  # expect: NAN204
