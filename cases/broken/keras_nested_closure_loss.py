# breaks: value(weighted_crossentropy([1.0, 2.0]), [[1.0, 0.0]], [[-200.0, 0.0]])
import tensorflow as tf
from tensorflow.keras import backend as K


def weighted_crossentropy(weights):
    w = K.constant(weights)

    def loss(y_true, logits):
        p = K.softmax(logits)
        return -K.sum(w * y_true * K.log(p), axis=-1)  # expect: NAN101

    return loss
