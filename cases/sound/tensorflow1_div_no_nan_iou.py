# holds: gradient(lambda a: iou(a, tf.zeros([2])), [0.0, 0.0])
import tensorflow as tf


def iou(pred, truth):
    inter = tf.reduce_sum(pred * truth)
    union = tf.reduce_sum(pred + truth - pred * truth)
    return tf.div_no_nan(inter, union)
