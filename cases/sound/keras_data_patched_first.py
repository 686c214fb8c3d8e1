import tensorflow as tf
from tensorflow import keras
from tensorflow.keras import layers


def functional(width):
    inputs = keras.Input((width,))
    known = layers.Lambda(lambda t: tf.where(tf.math.is_nan(t), tf.zeros_like(t), t))(inputs)
    return keras.Model(inputs, layers.Dense(1)(known))


def in_a_row(width):
    model = keras.Sequential()
    model.add(keras.Input((width,)))
    model.add(layers.Lambda(lambda t: tf.where(tf.math.is_nan(t), tf.zeros_like(t), t)))
    model.add(layers.Dense(1))
    return model


def listed(width):
    patch = layers.Lambda(lambda t: tf.where(tf.math.is_finite(t), t, tf.zeros_like(t)))
    return keras.Sequential([keras.Input((width,)), patch, layers.Dense(1)])
