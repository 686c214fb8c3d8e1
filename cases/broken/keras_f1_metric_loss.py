# breaks: value(f1_loss, [[0.0]], [[0.0]])
import tensorflow.keras.backend as K


def f1_loss(y_true, y_pred):
    tp = K.sum(y_true * y_pred)
    precision = tp / K.sum(y_pred)  # expect: NAN302 possible
    recall = tp / K.sum(y_true)  # expect: NAN301 unsafe
    return 1 - 2 * precision * recall / (precision + recall)  # expect: NAN309 no-fix
