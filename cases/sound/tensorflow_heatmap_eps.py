# holds: value(heatmap, [[0.0, 0.0]])
import tensorflow as tf


def heatmap(conv):
    h = tf.maximum(tf.reduce_mean(conv, axis=0), 0)
    return h / (tf.reduce_max(h) + tf.keras.backend.epsilon())
