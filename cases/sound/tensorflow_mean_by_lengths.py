"""A floor of 1 under the lengths, and lengths of all sequences together."""

# holds: value(lambda x: floored(x, tf.constant([0])), [[1.0, 2.0]])
# holds: value(lambda x: of_a_batch(x, tf.constant([0, 1])), [[1.0, 2.0], [3.0, 4.0]])
import tensorflow as tf


def floored(losses, lengths):
    mask = tf.sequence_mask(lengths, tf.shape(losses)[1], dtype=tf.float32)
    return tf.reduce_sum(losses * mask, 1) / tf.cast(tf.maximum(lengths, 1), tf.float32)


def of_a_batch(losses, lengths):
    mask = tf.sequence_mask(lengths, tf.shape(losses)[1], dtype=tf.float32)
    return tf.reduce_sum(losses * mask) / tf.cast(tf.reduce_sum(lengths), tf.float32)
