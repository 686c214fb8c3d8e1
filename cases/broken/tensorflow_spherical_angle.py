# breaks: gradient(lambda a: angle(a, a), [[1.0, 0.0]])
import tensorflow as tf


def angle(a, b):
    a = tf.math.l2_normalize(a, axis=-1)
    b = tf.math.l2_normalize(b, axis=-1)
    dot = tf.clip_by_value(tf.reduce_sum(a * b, -1), -1.0, 1.0)
    return tf.reduce_mean(tf.acos(dot))  # expect: NAN208 unsafe
