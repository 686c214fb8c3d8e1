# breaks: value(lambda p: determination(tf.ones((2,)), p), [0.0, 1.0])
import tensorflow as tf
from tensorflow.keras import backend as K


def determination(y_true, y_pred):
    left = K.sum(K.square(y_true - y_pred))
    total = K.sum(K.square(y_true - K.mean(y_true)))
    return 1 - left / total  # expect: NAN302 unsafe
