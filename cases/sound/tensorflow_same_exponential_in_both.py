# holds: value(mish, [100.0, 1.0])
# holds: value(bound, [1000.0, 1.0])
# holds: value(planck, [1000.0, 1.0])
import tensorflow as tf


def mish(x):
    n = tf.exp(tf.minimum(x, 20.0))
    return x * (n * (n + 2)) / (n * (n + 2) + 2)


def bound(x, affinity=0.3):
    weight = tf.exp(-x)
    return affinity / (affinity + weight)


def planck(x):
    return x**3 / (tf.exp(x) - 1)


def left(time, rate, weight):
    remains = weight * tf.exp(-rate * time)
    return remains / (remains + 1)


def reliability(log_precision, noise):
    precision = tf.exp(log_precision)
    return precision / (precision + noise)


def fused(x, y):
    top = tf.maximum(x, y)
    e, f = tf.exp(x - top), tf.exp(y - top)
    return 0.5 * e / (0.5 * e + f)
