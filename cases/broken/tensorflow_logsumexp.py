# breaks: value(partition, [[100.0, 100.0]])
import tensorflow as tf


def partition(energies):
    return tf.math.log(tf.reduce_sum(tf.exp(energies), axis=-1))  # expect: NAN104
