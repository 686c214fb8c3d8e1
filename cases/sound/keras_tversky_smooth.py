# holds: value(tversky, [0.0, 0.0], [0.0, 0.0])
from tensorflow.keras import backend as K


def tversky(y_true, y_pred, alpha=0.7, smooth=1.0):
    tp = K.sum(y_true * y_pred)
    fp = K.sum((1 - y_true) * y_pred)
    fn = K.sum(y_true * (1 - y_pred))
    return (tp + smooth) / (tp + alpha * fn + (1 - alpha) * fp + smooth)
