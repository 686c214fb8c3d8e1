# breaks: gradient(lambda p: root(p * 0, p), [[0.0, 0.0]])
# The root of the error is made small: its gradient is infinite where all is right.
import keras
from keras import ops


def root(y_true, y_pred):
    return ops.sqrt(ops.mean(ops.square(y_pred - y_true)))  # expect: NAN203


model = keras.Sequential([keras.Input((3,)), keras.layers.Dense(1)])
model.compile("adam", loss=root, metrics=[root])
