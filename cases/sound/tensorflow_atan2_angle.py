# holds: gradient(lambda a: angle(a, tf.constant([[1.0, 0.0, 0.0]])), [[1.0, 0.5, 0.0]])
import tensorflow as tf


def angle(a, b):
    sine = tf.sqrt(tf.reduce_sum(tf.square(tf.linalg.cross(a, b)), -1) + 1e-12)
    return tf.atan2(sine, tf.reduce_sum(a * b, -1))
