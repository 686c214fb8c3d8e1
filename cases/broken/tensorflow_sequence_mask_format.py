"""A mask of lengths that is made in a floating format counts, too: nothing is left of a length of 0."""

# breaks: value(lambda x: per_sequence(x, tf.constant([0])), [[1.0, 2.0]])
# breaks: value(lambda x: per_sequence_named(x, tf.constant([0])), [[1.0, 2.0]])
import tensorflow as tf


def per_sequence(losses, lengths):
    mask = tf.sequence_mask(lengths, tf.shape(losses)[1], dtype=tf.float32)
    return tf.reduce_sum(losses * mask, 1) / tf.reduce_sum(mask, 1)  # expect: NAN301


def per_sequence_named(losses, lengths):
    kept = tf.sequence_mask(lengths, maxlen=2, dtype=losses.dtype)
    return tf.reduce_sum(losses * kept, 1) / tf.reduce_sum(kept, 1)  # expect: NAN301
