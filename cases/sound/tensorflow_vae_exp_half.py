# holds: gradient(lambda v: reparameterize(tf.zeros([1]), v), [-100.0])
import tensorflow as tf


def reparameterize(mean, logvar):
    eps = tf.random.normal(shape=tf.shape(mean))
    return eps * tf.exp(logvar * 0.5) + mean


def log_normal_pdf(sample, mean, logvar):
    log2pi = tf.math.log(2.0 * 3.14159265)
    return tf.reduce_sum(
        -0.5 * ((sample - mean) ** 2.0 * tf.exp(-logvar) + logvar + log2pi), axis=-1
    )
