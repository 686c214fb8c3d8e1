# holds: value(lambda w: losses(w, [1.0]), [2.0])
import tensorflow as tf


def train_op(loss, variables, optimizer, bound=None):
    gradients = tf.gradients(loss, variables)
    norms = {}
    for variable, gradient in zip(variables, gradients):
        norms[variable.name] = tf.sqrt(tf.reduce_sum(gradient**2))
    if bound is not None:
        gradients, _ = tf.clip_by_global_norm(gradients, bound)
    return optimizer.apply_gradients(zip(gradients, variables)), norms


def losses(w, y):
    return tf.reduce_mean((w - y) ** 2)


def build(w, y, optimizer):
    return train_op(losses(w, y), [w], optimizer)
