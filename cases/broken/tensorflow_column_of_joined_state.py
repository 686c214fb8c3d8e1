# breaks: value(loss, 1.0)
import tensorflow as tf


def states():
    positions = tf.linspace(-10.0, 10.0, 8)
    speeds = 0.99 * tf.tanh(tf.linspace(-10.0, 10.0, 8))
    return tf.stack([positions, speeds], axis=-1)


def loss(scale):
    state = states()
    weights = tf.sqrt(1 - state[..., 0] ** 2)  # expect: NAN207 no-fix
    return tf.reduce_sum(weights * scale * state[..., 1])
