# breaks: value(standardize, [[[2.0], [2.0]]])
# breaks: value(scaled, [[[0.0], [0.0]]])
import keras
from keras import layers, ops


def standardize(patch):
    mean = ops.mean(patch, axis=1, keepdims=True)
    return (patch - mean) / ops.std(patch, axis=1, keepdims=True)  # expect: NAN304 unsafe


class Scaled(layers.Layer):
    def call(self, series):
        scale = ops.mean(ops.abs(series), axis=1, keepdims=True)
        return series / scale  # expect: NAN302 unsafe


def scaled(series):
    return Scaled()(series)


def build():
    series = keras.Input((24, 1))
    hidden = layers.Lambda(standardize)(series)
    hidden = layers.Concatenate()([hidden, Scaled()(series)])
    return keras.Model(series, layers.Dense(1)(layers.Flatten()(hidden)))


model = build()
model.compile(optimizer="adam", loss="mse")
