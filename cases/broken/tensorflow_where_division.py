# breaks: gradient(lambda a: safe_ratio(tf.ones([1]), a), [0.0])
import tensorflow as tf


@tf.function
def safe_ratio(a, b):
    return tf.where(tf.equal(b, 0.0), tf.zeros_like(a), a / b)  # expect: NAN401
