# holds: value(lambda x: attention(x, mask=tf.constant([[False, False]])), [[[1.0], [2.0]]])
import tensorflow as tf
from tensorflow.keras import backend as K


def attention(x, mask=None):
    weights = K.exp(K.tanh(tf.squeeze(x, -1)))
    if mask is not None:
        weights *= K.cast(mask, K.floatx())
    weights /= K.sum(weights, axis=1, keepdims=True) + K.epsilon()
    return K.sum(x * K.expand_dims(weights), axis=1)
