# holds: descended(tf.zeros((2, 2)), tf.ones(2), tf.ones(2))
import tensorflow as tf


def descended(x, y, w, steps=3):
    squares = tf.ones_like(w)
    for _ in range(steps):
        grad = tf.linalg.matvec(x, tf.linalg.matvec(x, w) - y, transpose_a=True)
        squares = 0.9 * squares + 0.1 * tf.square(grad)
        w = w - 0.1 * grad / tf.sqrt(squares)
    return w
