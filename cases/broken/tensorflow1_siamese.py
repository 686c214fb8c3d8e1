# breaks: gradient(lambda a: contrastive_loss(a, tf.ones([1, 2]), tf.zeros([1])), [[1.0, 1.0]])
import tensorflow as tf


def contrastive_loss(left, right, y, margin=1.0):
    d = tf.sqrt(tf.reduce_sum(tf.pow(left - right, 2), 1, keep_dims=True))  # expect: NAN203
    similar = y * tf.square(d)
    dissimilar = (1 - y) * tf.square(tf.maximum(margin - d, 0.0))
    return tf.reduce_mean(similar + dissimilar) / 2


def train(left, right, y):
    return tf.train.MomentumOptimizer(0.01, 0.9).minimize(contrastive_loss(left, right, y))
