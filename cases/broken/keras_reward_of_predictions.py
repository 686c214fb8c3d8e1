"""A discriminator's predictions, as an array, under a logarithm."""

# breaks: rewards([[800.0], [-800.0]])
import keras
import numpy as np

discriminator = keras.Sequential(
    [
        keras.Input((1,)),
        keras.layers.Dense(1, activation="sigmoid", kernel_initializer="ones"),
    ]
)


def rewards(transitions):
    d = discriminator.predict(np.array(transitions), verbose=0)
    return np.log(d) - np.log(1 - d)  # expect: NAN102 no-fix; NAN102 no-fix
