# holds: value(f1, [0.0], [0.0])
from tensorflow.keras import backend as K


def f1(y_true, y_pred):
    tp = K.sum(K.round(K.clip(y_true * y_pred, 0, 1)))
    p = tp / (K.sum(K.round(K.clip(y_pred, 0, 1))) + K.epsilon())
    r = tp / (K.sum(K.round(K.clip(y_true, 0, 1))) + K.epsilon())
    return 2 * p * r / (p + r + K.epsilon())
