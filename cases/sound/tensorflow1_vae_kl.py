# holds: gradient(lambda v: kl(tf.zeros([1]), v) + sample_z(tf.zeros([1]), v), [-100.0])
import tensorflow as tf


def sample_z(mu, log_var):
    eps = tf.random_normal(shape=tf.shape(mu))
    return mu + tf.exp(log_var / 2) * eps


def kl(mu, log_var):
    return 0.5 * tf.reduce_sum(tf.exp(log_var) + mu ** 2 - 1.0 - log_var, 0)


def optimise(mu, log_var):
    return tf.train.AdamOptimizer().minimize(tf.reduce_mean(kl(mu, log_var)))
