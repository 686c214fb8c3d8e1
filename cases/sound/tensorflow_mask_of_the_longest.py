# holds: gradient(masked, [[[0.0, 0.0], [1.0, 1.0]]])
import tensorflow as tf
from tensorflow.keras import layers


class Masked(layers.Layer):
    def call(self, inputs):
        lengths = tf.sqrt(tf.reduce_sum(tf.square(inputs), -1))
        places = tf.one_hot(tf.argmax(lengths, 1), lengths.get_shape().as_list()[1])
        return inputs * tf.expand_dims(places, -1)


class Counted(layers.Layer):
    def call(self, inputs):
        lengths = tf.sqrt(tf.reduce_sum(tf.square(inputs), -1))
        places = tf.one_hot(tf.argmax(lengths, 1), lengths.shape.ndims)
        return inputs * tf.expand_dims(places, -1)


def masked(inputs):
    return Masked()(inputs) + Counted()(inputs)
