# breaks: value(standardise, [1.0, 1.0])
import tensorflow as tf


def standardise(image):
    image = tf.cast(image, tf.float32)
    return (image - tf.reduce_mean(image)) / tf.math.reduce_std(image)  # expect: NAN304 unsafe


dataset_map = lambda image, label: (standardise(image), label)
