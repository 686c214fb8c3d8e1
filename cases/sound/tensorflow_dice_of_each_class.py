# holds: value(recall, [[[[0.5, 0.5]]]], [[[0]]])
import tensorflow as tf


def recall(prob, target):
    """Of each class, in images whose channels come first."""
    onehot = tf.one_hot(tf.cast(target, tf.int32), 2, axis=1)
    found = tf.reduce_sum(tf.transpose(prob, [0, 3, 1, 2]) * onehot, axis=[2, 3])
    return 1 - tf.reduce_mean(tf.math.divide_no_nan(found, tf.reduce_sum(onehot, axis=[2, 3])))
