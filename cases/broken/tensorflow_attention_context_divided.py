# breaks: value(attend, [[100.0]], [[[1.0]]], [[1.0]])
import tensorflow as tf


def attend(scores, values, mask):
    weights = tf.exp(scores) * mask
    context = tf.reduce_sum(values * weights[..., None], axis=1)
    return context / tf.reduce_sum(weights, axis=1, keepdims=True)  # expect: NAN302 unsafe
