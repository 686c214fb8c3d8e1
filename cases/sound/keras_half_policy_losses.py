"""Keras casts what a loss is given to float32 whatever the policy is, where an epsilon of 1e-10 guards."""

# holds: value(lambda x: cross_entropy(x, x), [[1.0, 0.0]])
import keras
import tensorflow as tf
from keras import layers, ops

keras.mixed_precision.set_global_policy("mixed_float16")


class Entropy(keras.losses.Loss):
    def call(self, y_true, y_pred):
        return -ops.sum(y_true * ops.log(y_pred + 1e-10), -1)


def cross_entropy(y_true, y_pred):
    return -ops.sum(y_true * ops.log(y_pred + 1e-10), -1)


inputs = keras.Input((4,))
model = keras.Model(inputs, layers.Dense(2, activation="softmax")(inputs))
keras.mixed_precision.set_global_policy("float32")


def compiled():
    keras.mixed_precision.set_global_policy("mixed_float16")
    inputs = keras.Input((4,))
    made = keras.Model(inputs, layers.Dense(2, activation="softmax")(inputs))
    made.compile("adam", loss=cross_entropy)
    made.fit(tf.zeros((8, 4)), tf.zeros((8, 2)), verbose=0)
    return made


def trained(x, y):
    keras.mixed_precision.set_global_policy("mixed_float16")
    criterion = Entropy()
    with tf.GradientTape() as tape:
        loss = criterion(y, model(x))
    return tape.gradient(loss, model.trainable_variables)
