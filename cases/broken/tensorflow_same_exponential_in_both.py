# breaks: value(mish, [100.0, 1.0])
# breaks: value(density, [-1000.0, 1.0])
# breaks: value(bound, [1000.0, 1.0])
import tensorflow as tf


def mish(x):
    n = tf.exp(x)
    return x * (n * (n + 2)) / (n * (n + 2) + 2)  # expect: NAN504 no-fix


def density(x):
    e = tf.exp(-x)
    return e / (1 + e) ** 2  # expect: NAN504 no-fix


def bound(x, affinity=0.3):
    weight = affinity * tf.exp(x)
    return weight / (weight + 1)  # expect: NAN504 no-fix
