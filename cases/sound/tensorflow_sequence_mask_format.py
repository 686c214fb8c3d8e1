"""A floor of 1 under the count of a mask of lengths."""

# holds: value(lambda x: per_sequence(x, tf.constant([0])), [[1.0, 2.0]])
import tensorflow as tf


def per_sequence(losses, lengths):
    mask = tf.sequence_mask(lengths, tf.shape(losses)[1], dtype=tf.float32)
    return tf.reduce_sum(losses * mask, 1) / tf.maximum(tf.reduce_sum(mask, 1), 1.0)
