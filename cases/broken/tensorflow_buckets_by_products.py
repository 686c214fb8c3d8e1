# breaks: gradient(loss, [[0.1, 0.2], [0.3, 0.4], [0.5, 0.6]])
import math

import tensorflow as tf

table = tf.Variable(tf.ones([10, 2]))


def scale(distances):
    numbers = tf.cast(distances, tf.float32)
    by_logarithm = tf.floor(tf.math.log(numbers) / math.log(2))  # expect: NAN201 no-fix
    is_small = tf.cast(distances <= 4, tf.float32)
    return is_small * numbers + (1 - is_small) * (by_logarithm + 3)


def loss(states):
    places = tf.range(tf.shape(states)[0])
    distances = tf.expand_dims(places, 1) - tf.expand_dims(places, 0)
    return tf.reduce_sum(tf.matmul(scale(distances), tf.matmul(states, table, transpose_b=True)))


def train(batches):
    optimizer = tf.keras.optimizers.Adam(1e-3)
    for states in batches:
        with tf.GradientTape() as tape:
            value = loss(states)
        optimizer.apply_gradients([(tape.gradient(value, table), table)])
