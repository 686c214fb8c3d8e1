# breaks: value(lambda a: make_heatmap(a, tf.ones([2])), [[[-1.0, -2.0]]])
import tensorflow as tf


def make_heatmap(conv_output, pooled_grads):
    heatmap = conv_output @ pooled_grads[..., tf.newaxis]
    heatmap = tf.squeeze(heatmap)
    heatmap = tf.nn.relu(heatmap)
    return heatmap / tf.math.reduce_max(heatmap)  # expect: NAN305 unsafe
