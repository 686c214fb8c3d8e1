# breaks: gradient(loss, [0.0, 5.0])
import tensorflow as tf


def loss(error, knee=2.0):
    size = tf.abs(error)
    return tf.reduce_sum(tf.where(size > knee, knee * (1.0 + tf.math.log(size / knee)), size))  # expect: NAN401
