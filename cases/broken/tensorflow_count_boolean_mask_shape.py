# breaks: value(masked_loss, [[1.0, 2.0]], [[0.0, 0.0]])
import tensorflow as tf


def masked_loss(y_pred, y_true):
    mask = tf.not_equal(y_true, 0)
    kept = tf.boolean_mask(y_pred, mask)
    labels = tf.boolean_mask(y_true, mask)
    n = tf.cast(tf.shape(kept)[0], tf.float32)
    return tf.reduce_sum(tf.square(kept - labels)) / n  # expect: NAN301
