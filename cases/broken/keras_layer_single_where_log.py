# breaks: gradient(LogTransform(), [0.0, 2.0])
import tensorflow as tf
from tensorflow import keras


class LogTransform(keras.layers.Layer):
    def call(self, inputs):
        return tf.where(inputs > 0, tf.math.log(inputs), tf.zeros_like(inputs))  # expect: NAN401
