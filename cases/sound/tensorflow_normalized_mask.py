"""An image divided by its mean weighs nothing, and weights of samples are seldom all 0."""

# holds: value(brightness, [[1.0, 2.0]])
# holds: value(weighed, [1.0, 2.0], [1.0, 3.0])
# holds: value(floored, [1.0, 2.0], [0.0, 0.0])
import tensorflow as tf


def brightness(image):
    image = tf.cast(image, tf.float32)
    return image / tf.reduce_mean(image)


def weighed(loss, sample_weight):
    sample_weight = tf.cast(sample_weight, tf.float32)
    sample_weight /= tf.reduce_mean(sample_weight)
    return tf.reduce_mean(loss * sample_weight)


def floored(loss, mask):
    mask = tf.cast(mask, tf.float32)
    mask /= tf.maximum(tf.reduce_mean(mask), 1e-6)
    return tf.reduce_mean(loss * mask)
