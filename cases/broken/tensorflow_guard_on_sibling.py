# breaks: value(likelihood, [1.0], [0.0], [0.0]), value(floored_elsewhere, [1.0], [0.0], [0.0])
# breaks: value(bernoulli, [1.0], [0.0]), value(weighted, [0.0, 0.0], [1.0, 1.0])
# breaks: value(divergence, [0.0, 1.0], [0.5, 0.5]), value(ratio, [1.0], [0.0])
# breaks: value(normalised, [1.0], [0.0]), value(rates, [0.0], [0.0], [1.0]), value(odds, [1.0])
import tensorflow as tf


def likelihood(x, mean, std):
    return tf.reduce_mean(tf.math.log(std + 1e-6) + ((x - mean) / std) ** 2 / 2)  # expect: NAN309 no-fix


def floored_elsewhere(x, mean, std):
    safe = tf.maximum(std, 1e-6)
    return tf.reduce_mean(tf.math.log(safe) + ((x - mean) / std) ** 2)  # expect: NAN309 no-fix


def bernoulli(p, y):
    return -tf.reduce_mean(y * tf.math.log(p + 1e-7) + (1 - y + 1e-7) * tf.math.log(1 - p))  # expect: NAN202 no-fix


def weighted(w, x):
    return tf.reduce_sum((w + 1e-6) * x) / tf.reduce_sum(w)  # expect: NAN302 unsafe


def divergence(p, q):
    return tf.reduce_sum(p * (tf.math.log(p) - tf.math.log(q + 1e-8)))  # expect: NAN202


def ratio(a, d):
    return tf.where(d > 0, a, tf.zeros_like(a)) / d  # expect: NAN309 no-fix


def normalised(x, y):
    scaled = x / (y + 1e-6)
    return tf.reduce_sum(scaled - x / y)  # expect: NAN309 no-fix


def rates(tp, fp, fn):
    precision = tp / (tp + fp)  # expect: NAN309 no-fix
    recall = tp / (tp + fn + 1e-7)
    return precision + recall


def odds(p):
    return tf.reduce_mean(tf.math.log(p + 1e-7) - tf.math.log(1 - p))  # expect: NAN201 unsafe
