# breaks: gradient(lambda v: Sampling().draw(tf.zeros([1]), v), [-100.0])
import tensorflow as tf


class Sampling(tf.keras.layers.Layer):
    def draw(self, mean, logvar):
        logvar = tf.clip_by_value(logvar, -100, 87)
        eps = tf.random.normal(tf.shape(mean))
        return mean + tf.sqrt(tf.exp(logvar)) * eps  # expect: NAN118

    def call(self, inputs):
        mean, logvar = inputs
        return self.draw(mean, logvar)
