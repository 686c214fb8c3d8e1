# holds: value(lambda x: per_example(x, tf.zeros((1, 2), tf.int32)), [[1.0, 2.0]])
import tensorflow as tf


def per_example(losses, tokens):
    weights = tf.sign(tf.cast(tokens, tf.float32))
    return tf.reduce_sum(losses * weights, 1) / tf.maximum(tf.reduce_sum(weights, 1), 1.0)
