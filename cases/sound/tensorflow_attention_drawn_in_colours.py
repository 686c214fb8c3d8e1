import tensorflow as tf


def attend(x, mask):
    weights = tf.nn.softmax(x)
    bright = tf.pow(weights, 0.2)  # for a picture alone: nothing is trained through it
    covered = mask * tf.maximum(bright, 0.3)
    image = tf.stack([bright, covered, covered], axis=3)
    tf.summary.image("attention", image)
    return weights


def loss(x):
    return tf.reduce_sum(attend(x, tf.ones([1, 1, 2])) ** 2)
