# breaks: gradient(train_loss, [[1000.0]], [[0.0, 1.0]])
import tensorflow as tf
from tensorflow import keras
from tensorflow.keras import layers


def build():
    inputs = keras.Input(shape=(1,))
    scale = keras.initializers.Constant([[1.0, -1.0]])
    outputs = layers.Dense(2, activation="softmax", kernel_initializer=scale)(inputs)
    return keras.Model(inputs, outputs)


model = build()


def train_loss(x, y):
    probs = model(x, training=True)
    return -tf.reduce_mean(tf.reduce_sum(y * tf.math.log(probs), axis=1))  # expect: NAN101 no-fix
