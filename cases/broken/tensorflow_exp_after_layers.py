# breaks: value(lambda x: Rates([2, 2])(x * tf.ones((1, 2))), 1e4)
# holds: value(lambda x: Bounded([2, 2])(x * tf.ones((1, 2))), 1e4)
import tensorflow as tf


class Rates(tf.keras.Model):
    def __init__(self, units):
        super().__init__()
        self.hidden = [tf.keras.layers.Dense(u, kernel_initializer="ones") for u in units]

    def call(self, x):
        for layer in self.hidden:
            x = layer(x)
        return tf.exp(x)  # expect: NAN504 no-fix


class Bounded(tf.keras.Model):
    def __init__(self, units):
        super().__init__()
        self.hidden = [tf.keras.layers.Dense(u, activation="sigmoid") for u in units]

    def call(self, x):
        for layer in self.hidden:
            x = layer(x)
        return tf.exp(x)
