# breaks: value(lambda x: local_contrast(x + tf.fill((1, 5, 5, 1), 0.1)), [0.0])
import tensorflow as tf


def local_contrast(x):
    mean = tf.nn.avg_pool2d(x, 3, 1, "VALID")
    variance = tf.nn.avg_pool2d(x * x, 3, 1, "VALID") - mean * mean
    return tf.sqrt(variance)  # expect: NAN207 no-fix
