# breaks: value(msssim, [[[[0.0], [1.0]], [[1.0], [0.0]]]], [[[[1.0], [0.0]], [[0.0], [1.0]]]])
import tensorflow as tf


def contrast(x, y):
    mu_x = tf.reduce_mean(x, axis=[1, 2])
    mu_y = tf.reduce_mean(y, axis=[1, 2])
    var_x = tf.reduce_mean(tf.square(x), axis=[1, 2]) - tf.square(mu_x)
    var_y = tf.reduce_mean(tf.square(y), axis=[1, 2]) - tf.square(mu_y)
    cov = tf.reduce_mean(x * y, axis=[1, 2]) - mu_x * mu_y
    return (2.0 * cov + 0.0009) / (var_x + var_y + 0.0009)


def msssim(x, y):
    weights = [0.0448, 0.2856]
    result = 1.0
    for weight in weights:
        result *= tf.pow(contrast(x, y), weight)  # expect: NAN207 no-fix
    return tf.reduce_mean(result)
