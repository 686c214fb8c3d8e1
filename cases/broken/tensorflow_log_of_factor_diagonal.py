# breaks: gradient(total, [[0.0, 0.5], [0.5, 1.0]])
import tensorflow as tf


def total(covariance):
    diagonal = tf.linalg.diag_part(covariance)
    logs = tf.where(diagonal > 1e-7, tf.math.log(diagonal), tf.zeros_like(diagonal))  # expect: NAN401
    return tf.reduce_sum(logs)
