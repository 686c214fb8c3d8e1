# breaks: value(lambda z: loss(z, tf.constant([0, 1])), [[0.0, 1.0], [1.0, 0.0]])
import tensorflow as tf


def loss(logarithms, labels):
    positive = tf.cast(tf.equal(labels[:, None], labels[None, :]), tf.float32)
    positive = tf.linalg.set_diag(positive, tf.zeros(tf.shape(positive)[0]))
    total = tf.reduce_sum(positive * logarithms, axis=1)
    return -tf.reduce_mean(total / tf.reduce_sum(positive, axis=1))  # expect: NAN301
