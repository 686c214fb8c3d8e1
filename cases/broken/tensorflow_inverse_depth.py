# breaks: gradient(disparity_loss, [[0.0, 2.0]], [[0.5, 0.5]])
import tensorflow as tf


def disparity_loss(depth, target):
    error = tf.where(depth > 0.0, tf.abs(1.0 / depth - target), 0.0)  # expect: NAN401
    return tf.reduce_mean(error)
