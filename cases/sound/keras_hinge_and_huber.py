# holds: gradient(huber, [1.0], [1.0])
from tensorflow.keras import backend as K
import tensorflow as tf


def huber(y_true, y_pred, delta=1.0):
    error = K.abs(y_true - y_pred)
    return K.mean(tf.where(error <= delta, 0.5 * error ** 2, delta * (error - 0.5 * delta)))


def log_cosh_shift(y_true, y_pred):
    d = y_pred - y_true
    return K.mean(d + K.softplus(-2.0 * d) - K.log(2.0))
