# breaks: value(lambda x: grown()(x), [[100.0, 100.0]])
import tensorflow as tf


class Encoder(tf.keras.Model):
    def __init__(self):
        super().__init__()
        self.mean = tf.keras.layers.Dense(2)
        self.logvar = tf.keras.layers.Dense(2, kernel_initializer="ones")

    def call(self, x):
        logvar = self.logvar(x)
        noise = tf.random.normal(tf.shape(logvar))
        return self.mean(x) + tf.exp(0.5 * logvar) * noise  # expect: NAN504 possible


def grown():
    return Encoder()
