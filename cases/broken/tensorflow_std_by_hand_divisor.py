# breaks: value(standardise, [[1.0, 1.0, 1.0]])
import tensorflow as tf


def standardise(images):
    mean = tf.reduce_mean(images, axis=1, keepdims=True)
    centred = images - mean
    deviation = tf.sqrt(tf.reduce_mean(tf.square(centred), axis=1, keepdims=True))
    return centred / deviation  # expect: NAN304 unsafe
