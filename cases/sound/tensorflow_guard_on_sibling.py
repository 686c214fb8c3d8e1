# holds: value(likelihood, [1.0], [0.0], [0.0]), value(floored_once, [1.0], [0.0], [0.0])
# holds: value(bernoulli, [1.0], [0.0]), value(weighted, [0.0, 0.0], [1.0, 1.0])
# holds: value(divergence, [0.0, 1.0], [0.5, 0.5]), value(ratio, [1.0], [0.0])
# holds: value(bounded, [1.0], [-900.0])
import tensorflow as tf


def likelihood(x, mean, std):
    std = std + 1e-6
    return tf.reduce_mean(tf.math.log(std) + ((x - mean) / std) ** 2 / 2)


def floored_once(x, mean, std):
    safe = tf.maximum(std, 1e-6)
    return tf.reduce_mean(tf.math.log(safe) + ((x - mean) / safe) ** 2)


def one_of_two(x, std, is_floored: bool):
    if is_floored:
        return tf.math.log(std + 1e-6)
    return x / std


def bernoulli(p, y):
    return -tf.reduce_mean(y * tf.math.log(p + 1e-7) + (1 - y) * tf.math.log(1 - p + 1e-7))


def smoothed(p, y, smoothing):
    return -tf.reduce_mean((y + smoothing) * tf.math.log(p))


def weighted(w, x):
    w = w + 1e-6
    return tf.reduce_sum(w * x) / tf.reduce_sum(w)


def share(counts):
    return tf.math.log((counts + 1e-6) / tf.reduce_sum(counts))


def divergence(p, q):
    return tf.reduce_sum(p * (tf.math.log(p + 1e-8) - tf.math.log(q + 1e-8)))


def ratio(a, d):
    return tf.where(d > 0, a, tf.zeros_like(a)) / tf.where(d > 0, d, tf.ones_like(d))


def bounded(x, y):
    scale = tf.exp(tf.clip_by_value(y, -5.0, 5.0))
    return tf.math.log(scale + 1e-6) + x / scale


def other(x, y):
    return tf.math.log(x + 1e-8) + x / y
