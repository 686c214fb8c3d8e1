# breaks: gradient(log_of_rates, [0.0, -1.0, 2.0])
# breaks: gradient(inverse_of_rates, [0.0, -1.0, 2.0])
import tensorflow as tf


def log_of_rates(x):
    rates = tf.nn.relu(x)
    return tf.reduce_sum(tf.where(rates > 0, tf.math.log(rates), tf.zeros_like(rates)))  # expect: NAN401


def inverse_of_rates(x):
    rates = tf.maximum(x, 0.0)
    return tf.reduce_sum(tf.where(rates > 0, 1 / rates, tf.zeros_like(rates)))  # expect: NAN401
