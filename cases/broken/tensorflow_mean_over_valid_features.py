# breaks: value(loss, [[[1.0, 2.0]]], [[0.0]])
import tensorflow as tf


def loss(error, mask):
    features = tf.cast(tf.shape(error)[-1], tf.float32)
    total = tf.reduce_sum(tf.square(error) * mask[..., None])
    return total / (tf.reduce_sum(mask) * features)  # expect: NAN301 unsafe
