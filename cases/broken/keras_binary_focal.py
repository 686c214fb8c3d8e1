# breaks: value(focal_from_logits, [1.0], [-200.0])
from tensorflow.keras import backend as K


def focal_from_logits(y_true, logits, gamma=2.0):
    p = K.sigmoid(logits)
    return -K.mean(y_true * K.pow(1.0 - p, gamma) * K.log(p))  # expect: NAN102
