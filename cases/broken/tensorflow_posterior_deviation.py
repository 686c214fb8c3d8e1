# breaks: value(deviation, [0.0, 10.0, 20.0], [0.0, 10.0, 20.0])
import tensorflow as tf


def kernel(a, b):
    return 0.9 * tf.exp(-0.5 * (a[:, None] - b[None, :]) ** 2)


def deviation(x, new, noise=1e-9):
    factor = tf.linalg.cholesky(kernel(x, x) + noise * tf.eye(3))
    solved = tf.linalg.triangular_solve(factor, kernel(x, new))
    explained = tf.reduce_sum(tf.square(solved), axis=0)
    return tf.sqrt(0.9 - explained)  # expect: NAN116 no-fix
