# breaks: value(lambda x: Odds()(x), [[20.0, 20.0]])
import keras
from keras import layers, ops


class Odds(keras.Model):
    def __init__(self):
        super().__init__()
        self.logits = layers.Dense(1, kernel_initializer="ones")

    def call(self, x):
        share = ops.sigmoid(self.logits(x))
        return share / (1 - share)  # expect: NAN309 no-fix
