# breaks: value(heatmap, [[1.0, 1.0]])
import tensorflow as tf


def heatmap(conv):
    h = tf.reduce_mean(conv, axis=0)
    h = (h - tf.reduce_min(h)) / (tf.reduce_max(h) - tf.reduce_min(h))  # expect: NAN305 possible
    return h.numpy()
