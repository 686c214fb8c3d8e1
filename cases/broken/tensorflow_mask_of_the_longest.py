# breaks: gradient(weighted, [[[0.0, 0.0], [1.0, 1.0]]])
import tensorflow as tf
from tensorflow.keras import layers


class Weighted(layers.Layer):
    def call(self, inputs):
        lengths = tf.sqrt(tf.reduce_sum(tf.square(inputs), -1))  # expect: NAN203
        places = tf.one_hot(tf.argmax(lengths, 1), lengths.get_shape().as_list()[1])
        return places + lengths


def weighted(inputs):
    return Weighted()(inputs)
