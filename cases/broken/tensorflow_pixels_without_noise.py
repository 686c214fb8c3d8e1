"""Pixels divided by 255 attain 0."""

# breaks: value(log_intensity, [[0.0, 255.0]])
import tensorflow as tf


def log_intensity(images):
    x = tf.cast(images, tf.float32) * (1 / 255.0)
    return tf.math.log(x)  # expect: NAN201 unsafe
