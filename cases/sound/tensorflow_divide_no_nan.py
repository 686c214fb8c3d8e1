# holds: value(masked_average, [[[1.0], [2.0]]], [[False, False]])
import tensorflow as tf


def masked_average(x, mask):
    mask = tf.cast(mask, x.dtype)[:, :, tf.newaxis]
    return tf.math.divide_no_nan(tf.reduce_sum(x * mask, 1), tf.reduce_sum(mask, 1))
