# The root of the error is told, and the error itself is made small.
import keras
from keras import ops


def compiled():
    def root(y_true, y_pred):
        return ops.sqrt(ops.mean(ops.square(y_pred - y_true)))

    model = keras.Sequential([keras.Input((3,)), keras.layers.Dense(1)])
    model.compile("adam", loss="mse", metrics=[root])
    return model
