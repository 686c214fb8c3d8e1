# holds: gradient(LogTransform(), [0.0, 2.0])
import tensorflow as tf
from tensorflow import keras


class LogTransform(keras.layers.Layer):
    def call(self, inputs):
        positive = inputs > 0
        safe = tf.where(positive, inputs, tf.ones_like(inputs))
        return tf.where(positive, tf.math.log(safe), tf.zeros_like(inputs))
