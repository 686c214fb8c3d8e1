# holds: value(lambda x: sample_gumbel(tf.shape(x)), [0.0, 0.0])
import tensorflow as tf


def sample_gumbel(shape, eps=1e-20):
    U = tf.random.uniform(shape, minval=1e-6, maxval=1 - 1e-6)
    V = tf.random.uniform(shape)
    return -tf.math.log(-tf.math.log(U)) - tf.math.log(-tf.math.log(V + eps) + eps)
