"""A sum that a mask of lengths selects, divided by the lengths: nothing is left of a length of 0."""

# breaks: value(lambda x: per_sequence(x, tf.constant([[0]]), tf.constant([0])), [[[1.0, 2.0]]])
# breaks: value(lambda x: pooled(x, tf.constant([0])), [[[1.0, 2.0]]])
import tensorflow as tf


def per_sequence(logits, targets, lengths):
    mask = tf.sequence_mask(lengths, tf.shape(targets)[1], dtype=tf.float32)
    losses = tf.nn.sparse_softmax_cross_entropy_with_logits(labels=targets, logits=logits)
    return tf.reduce_mean(tf.reduce_sum(losses * mask, 1) / tf.cast(lengths, tf.float32))  # expect: NAN309 no-fix


def pooled(x, lengths):
    places = tf.range(tf.shape(x)[1])[tf.newaxis, :]
    kept = tf.cast(places < lengths[:, tf.newaxis], x.dtype)
    total = tf.reduce_sum(x * kept[:, :, tf.newaxis], axis=1)
    return total / tf.cast(lengths, x.dtype)[:, tf.newaxis]  # expect: NAN309 no-fix
