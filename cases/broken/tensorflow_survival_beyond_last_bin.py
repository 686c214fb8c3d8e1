# breaks: value(censored, [[0.0, 0.0]])
import tensorflow as tf


def censored(scores):
    beyond = 1.0 - tf.cumsum(tf.nn.softmax(scores, axis=-1), axis=-1)
    return -tf.reduce_mean(tf.math.log(beyond))  # expect: NAN201 unsafe
