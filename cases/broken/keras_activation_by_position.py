"""Activations as the second argument of a layer, as a name or a function."""

# breaks: value(surprise, [[300.0, -300.0]])
# breaks: value(likelihood, [[300.0, -300.0]], [[0.0]])
import keras
from keras import ops

classes = keras.layers.Dense(2, "softmax", kernel_initializer="identity")
chance = keras.layers.Dense(1, keras.activations.sigmoid, kernel_initializer="ones")


def surprise(x):
    return -ops.log(classes(x))  # expect: NAN101 no-fix


def likelihood(x, y):
    p = chance(x + 300.0)
    return -ops.mean(y * ops.log(p) + (1 - y) * ops.log(1 - p))  # expect: NAN108 no-fix
