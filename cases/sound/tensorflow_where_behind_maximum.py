# holds: gradient(log_of_rates, [0.0, -1.0, 2.0])
# holds: gradient(inverse_of_rates, [0.0, -1.0, 2.0])
# holds: gradient(spread, [0.0, -1.0, 2.0])
import tensorflow as tf


def log_of_rates(x):
    rates = tf.maximum(0.0, x)
    return tf.reduce_sum(tf.where(rates > 0, tf.math.log(rates), tf.zeros_like(rates)))


def inverse_of_rates(x):
    rates = tf.where(x > 0, x, tf.zeros_like(x))
    return tf.reduce_sum(tf.where(rates > 0, 1 / rates, tf.zeros_like(rates)))


def spread(x):
    return tf.reduce_sum(tf.sqrt(tf.maximum(0.0, x)))
