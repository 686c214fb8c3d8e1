# holds: value(lambda a: make_heatmap(a, tf.ones([2])), [[[-1.0, -2.0]]])
import tensorflow as tf


def make_heatmap(conv_output, pooled_grads):
    heatmap = tf.squeeze(conv_output @ pooled_grads[..., tf.newaxis])
    heatmap = tf.nn.relu(heatmap)
    return heatmap / (tf.math.reduce_max(heatmap) + 1e-10)


def spread(h):
    low, high = tf.reduce_min(h), tf.reduce_max(h)
    return tf.math.divide_no_nan(h - low, high - low)
