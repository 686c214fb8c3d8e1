# breaks: value(lambda x: loss([[1.0, 0.0]], model(x)), [[1000.0]])
import tensorflow as tf
from tensorflow import keras
from tensorflow.keras import layers

inputs = keras.Input(shape=(1,))
x = layers.Dense(2, kernel_initializer=keras.initializers.Constant([[1.0, -1.0]]))(inputs)
outputs = layers.Activation("softmax")(x)
model = keras.Model(inputs=inputs, outputs=outputs)


def loss(y_true, y_pred):
    return -tf.reduce_sum(y_true * tf.math.log(y_pred), axis=-1)  # expect: NAN202


model.compile(optimizer="adam", loss=loss)
