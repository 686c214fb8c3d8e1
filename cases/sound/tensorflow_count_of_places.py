# holds: value(lambda p: anchor_loss(p, tf.zeros((2,)), tf.zeros((2,))), [1.0, 2.0])
import tensorflow as tf


def anchor_loss(pred, target, labels):
    places = tf.where(labels > 0)
    error = tf.abs(tf.gather_nd(pred, places) - tf.gather_nd(target, places))
    return tf.reduce_sum(error) / tf.cast(tf.maximum(tf.shape(places)[0], 1), tf.float32)
