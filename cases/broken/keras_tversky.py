# breaks: value(tversky, [0.0, 0.0], [0.0, 0.0])
from tensorflow.keras import backend as K


def tversky(y_true, y_pred, alpha=0.7):
    y_pred = K.sigmoid(y_pred * 1e6 - 1e3)
    tp = K.sum(y_true * y_pred)
    fp = K.sum((1 - y_true) * y_pred)
    fn = K.sum(y_true * (1 - y_pred))
    return tp / (tp + alpha * fn + (1 - alpha) * fp)  # todo-expect: NAN302
