import tensorflow as tf
from tensorflow import keras
from tensorflow.keras import layers

inputs = keras.Input(shape=(784,))
h = layers.Dense(64, activation="relu")(inputs)
logits = layers.Dense(784)(h)
model = keras.Model(inputs, logits)


def bernoulli(x, logits):
    p = tf.sigmoid(logits)
    return -tf.reduce_sum(x * tf.math.log(p) + (1 - x) * tf.math.log(1 - p), -1)  # expect: NAN108


model.compile("adam", loss=lambda x, p: -tf.reduce_mean(tf.math.log(tf.nn.softmax(p))))  # expect: NAN101
