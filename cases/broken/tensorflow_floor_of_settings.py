"""An epsilon that is a field of settings, whose default is 0.0: nothing is added unless it is set."""

# breaks: value(Norm(), [[1.0, 1.0]])
from dataclasses import dataclass

import tensorflow as tf


@dataclass
class Settings:
    epsilon: float = 0.0


class Norm(tf.keras.layers.Layer):
    def __init__(self, settings=Settings()):
        super().__init__()
        self.settings = settings

    def call(self, x):
        mean, variance = tf.nn.moments(x, axes=[-1], keepdims=True)
        return (x - mean) / tf.sqrt(variance + self.settings.epsilon)  # expect: NAN304 no-fix; NAN203 no-fix
