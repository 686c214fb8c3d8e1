import tensorflow as tf
from tensorflow import keras
from tensorflow.keras import layers


def in_a_row(width):
    model = keras.Sequential()
    model.add(keras.Input((width,)))
    model.add(layers.Dense(1))
    # expect: NAN402 no-fix
    model.add(layers.Lambda(lambda t: tf.where(tf.math.is_nan(t), tf.zeros_like(t), t)))
    return model
