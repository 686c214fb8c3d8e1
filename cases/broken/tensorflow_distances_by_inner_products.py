# breaks: value(lambda x: distances(tf.reshape(tf.sin(tf.range(320.0)), (40, 8)) * x), 3.0)
import tensorflow as tf


def distances(x):
    lengths = tf.reduce_sum(tf.square(x), 1)
    products = tf.matmul(x, x, transpose_b=True)
    squared = tf.expand_dims(lengths, 0) + tf.expand_dims(lengths, 1) - 2.0 * products
    return tf.sqrt(squared)  # expect: NAN207 no-fix
