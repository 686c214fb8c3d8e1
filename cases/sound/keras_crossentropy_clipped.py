# holds: value(lambda z: custom_loss(tf.constant([[1.0, 0.0]]), tf.nn.softmax(z)), [[-200.0, 0.0]])
import tensorflow as tf
from tensorflow.keras import backend as K


def custom_loss(y_true, y_pred):
    y_pred = y_pred / K.sum(y_pred, axis=-1, keepdims=True)
    y_pred = K.clip(y_pred, K.epsilon(), 1 - K.epsilon())
    return -K.sum(y_true * K.log(y_pred), axis=-1)
