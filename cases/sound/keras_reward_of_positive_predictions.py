"""Predictions of a model whose last activation stays above 0."""

# holds: rewards([[800.0], [-800.0]])
import keras
import numpy as np

scale = keras.Sequential(
    [
        keras.Input((1,)),
        keras.layers.Dense(1, activation="softplus", kernel_initializer="ones"),
    ]
)


def rewards(transitions):
    return np.log(scale.predict(np.array(transitions), verbose=0) + 1e-3)
