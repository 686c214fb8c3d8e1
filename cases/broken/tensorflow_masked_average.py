# breaks: value(masked_average, [[[1.0], [2.0]]], [[False, False]])
import tensorflow as tf


def masked_average(x, mask):
    mask = tf.cast(mask, x.dtype)[:, :, tf.newaxis]
    return tf.reduce_sum(x * mask, axis=1) / tf.reduce_sum(mask, axis=1)  # expect: NAN301 unsafe
