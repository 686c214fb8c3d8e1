# holds: gradient(stddev, [-300.0, 0.0])
import tensorflow as tf


def stddev(logvar):
    return tf.sqrt(tf.exp(tf.clip_by_value(logvar, -20.0, 20.0)))
