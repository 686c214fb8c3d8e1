# breaks: value(precision, [0.0], [0.0])
from tensorflow.keras import backend as K


def precision(y_true, y_pred):
    true_positives = K.sum(K.round(K.clip(y_true * y_pred, 0, 1)))
    predicted_positives = K.sum(K.round(K.clip(y_pred, 0, 1)))
    return true_positives / predicted_positives  # expect: NAN301
