# holds: gradient(lambda a: contrastive_loss(a, tf.ones([1, 2]), tf.ones([1])), [[1.0, 1.0]])
import tensorflow as tf


def contrastive_loss(left, right, y, margin=1.0):
    d2 = tf.reduce_sum(tf.square(left - right), 1)
    d = tf.sqrt(d2 + 1e-6)
    return tf.reduce_mean(y * d2 + (1 - y) * tf.square(tf.maximum(margin - d, 0.0)))
