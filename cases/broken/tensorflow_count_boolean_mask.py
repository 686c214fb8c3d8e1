# breaks: value(masked_loss, [[1.0, 2.0]], [[1.0, 2.0]], [[False, False]])
import tensorflow as tf


def masked_loss(y_true, y_pred, mask):
    errors = tf.boolean_mask(tf.abs(y_true - y_pred), mask)
    return tf.reduce_sum(errors) / tf.cast(tf.size(errors), tf.float32)  # expect: NAN301
