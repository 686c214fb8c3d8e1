# holds: value(standardise, [[[1.0], [1.0]]])
import tensorflow as tf


def standardise(image):
    return tf.image.per_image_standardization(image)


def scale(image, label):
    return tf.cast(image, tf.float32) / 255.0, label


def by_hand(image, eps=1e-6):
    return (image - tf.reduce_mean(image)) / (tf.math.reduce_std(image) + eps)
