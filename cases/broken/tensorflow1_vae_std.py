# breaks: gradient(lambda v: sample_z(tf.zeros([2]), v), [0.0, -100.0])
import tensorflow as tf


def sample_z(mu, log_var):
    log_var = tf.clip_by_value(log_var, -100.0, 87.0)
    eps = tf.random_normal(shape=tf.shape(mu))
    return mu + tf.sqrt(tf.exp(log_var)) * eps  # expect: NAN118


def minimise(mu, log_var, decode, x):
    loss = tf.reduce_mean(tf.square(decode(sample_z(mu, log_var)) - x))
    return tf.train.AdamOptimizer().minimize(loss)
