# holds: gradient(total, [[2.0, 0.5], [0.5, 1.0]])
import tensorflow as tf


def total(covariance):
    factor = tf.linalg.cholesky(covariance)
    diagonal = tf.linalg.diag_part(factor)
    logs = tf.where(diagonal > 1e-7, tf.math.log(diagonal), tf.zeros_like(diagonal))
    return tf.reduce_sum(logs)
