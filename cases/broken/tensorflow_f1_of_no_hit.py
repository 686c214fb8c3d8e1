"""Precision and recall are quotients of one masked sum: both are 0 where nothing is hit."""

# breaks: value(f1, [1.0, 0.0], [0.2, 0.3])
import tensorflow as tf


def f1(y_true, y_pred):
    p = tf.cast(y_pred > 0.5, tf.float32)
    tp = tf.reduce_sum(y_true * p)
    precision = tp / (tf.reduce_sum(p) + 1e-7)
    recall = tp / (tf.reduce_sum(y_true) + 1e-7)
    return 2 * precision * recall / (precision + recall)  # expect: NAN309 no-fix
