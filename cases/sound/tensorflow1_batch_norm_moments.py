# holds: gradient(batch_norm, [[1.0], [1.0]])
import tensorflow as tf


def batch_norm(x, eps=1e-5):
    mean, var = tf.nn.moments(x, axes=[0])
    return (x - mean) / tf.sqrt(var + eps)
