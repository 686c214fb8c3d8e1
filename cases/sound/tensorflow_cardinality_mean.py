# holds: value(average_loss, [1.0, 2.0])
import tensorflow as tf


def average_loss(per_example, global_batch_size=64):
    return tf.reduce_sum(per_example) * (1.0 / global_batch_size)


def shape_mean(x):
    n = tf.cast(tf.shape(x)[0], tf.float32)
    return tf.reduce_sum(x) / n
