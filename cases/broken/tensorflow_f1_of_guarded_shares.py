# breaks: value(f1, [[0.0, 1.0]], [[1.0, 0.0]])
import tensorflow as tf


def f1(labels, predictions):
    hits = tf.reduce_sum(labels * predictions, axis=0)
    precision = hits / (tf.reduce_sum(predictions, axis=0) + 1e-7)
    recall = hits / (tf.reduce_sum(labels, axis=0) + 1e-7)
    return 1 - tf.reduce_mean(2 * precision * recall / (precision + recall))  # expect: NAN309 no-fix


def f2(labels, predictions):
    hits = tf.reduce_sum(labels * predictions, axis=0)
    precision = hits / tf.maximum(tf.reduce_sum(predictions, axis=0), 1.0)
    recall = hits / tf.maximum(tf.reduce_sum(labels, axis=0), 1.0)
    return 1 - tf.reduce_mean(5 * precision * recall / (4 * precision + recall))  # expect: NAN309 no-fix
