# holds: value(standardize, [[[2.0], [2.0]]])
# holds: value(scaled, [[[0.0], [0.0]]])
# holds: value(scaled_where, [[[0.0], [0.0]]])
import keras
from keras import layers, ops


def standardize(patch):
    mean = ops.mean(patch, axis=1, keepdims=True)
    return (patch - mean) / (ops.std(patch, axis=1, keepdims=True) + 1e-6)


def scaled_where(series):
    scale = ops.mean(ops.abs(series), axis=1, keepdims=True)
    return series / ops.where(scale == 0, ops.ones_like(scale), scale)


class Scaled(layers.Layer):
    def call(self, series):
        scale = ops.mean(ops.abs(series), axis=1, keepdims=True)
        return series / ops.maximum(scale, 1.0)


class OfHidden(layers.Layer):
    def call(self, hidden):
        mean = ops.mean(hidden, axis=-1, keepdims=True)
        return (hidden - mean) / ops.std(hidden, axis=-1, keepdims=True)


def scaled(series):
    return Scaled()(series)


def build():
    series = keras.Input((24, 1))
    hidden = layers.Lambda(standardize)(series)
    others = [Scaled()(series), layers.Lambda(scaled_where)(series)]
    hidden = layers.Concatenate()([hidden, *others])
    hidden = OfHidden()(layers.Dense(8)(layers.Flatten()(hidden)))
    return keras.Model(series, layers.Dense(1)(hidden))


model = build()
model.compile(optimizer="adam", loss="mse")
