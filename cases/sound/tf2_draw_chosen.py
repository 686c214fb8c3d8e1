# holds: value(lambda x: x * barycentric(4), [[1.0], [2.0], [3.0], [4.0]])
import tensorflow as tf


def barycentric(count, seed=None):
    draw = tf.random.uniform
    arguments = {"shape": [count, 2], "minval": 0.0, "maxval": 1.0}
    if seed is not None:
        draw = tf.random.stateless_uniform
    drawn = draw(**arguments)
    root = tf.sqrt(drawn[..., 0])
    return tf.stack((1 - root, root * drawn[..., 1]), axis=-1)
