# breaks: value(precision, [0, 1], [0, 0])
import tensorflow as tf


def per_class(table):
    hits = tf.linalg.diag_part(table)
    return hits / tf.reduce_sum(table, axis=0)  # expect: NAN302 unsafe


def precision(labels, predictions):
    table = tf.math.confusion_matrix(tf.cast(labels, tf.int32), tf.cast(predictions, tf.int32), 2)
    return per_class(table)
