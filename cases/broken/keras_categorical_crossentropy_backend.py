# breaks: value(lambda z: custom_loss(tf.constant([[1.0, 0.0]]), tf.nn.softmax(z)), [[-200.0, 0.0]])
import tensorflow as tf
from tensorflow.keras import backend as K
from tensorflow.keras.layers import Dense
from tensorflow.keras.models import Sequential


def custom_loss(y_true, y_pred):
    return -K.sum(y_true * K.log(y_pred), axis=-1)  # expect: NAN202 no-fix


def build():
    model = Sequential()
    model.add(Dense(32, activation="relu"))
    model.add(Dense(2, activation="softmax"))
    model.compile(optimizer="adam", loss=custom_loss)
    return model
