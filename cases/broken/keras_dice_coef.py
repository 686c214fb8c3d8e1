# breaks: value(dice_coef, [0.0], [0.0])
from tensorflow.keras import backend as K


def dice_coef(y_true, y_pred):
    y_true_f = K.flatten(K.cast(y_true > 0.5, "float32"))
    y_pred_f = K.flatten(K.cast(y_pred > 0.5, "float32"))
    intersection = K.sum(y_true_f * y_pred_f)
    return 2.0 * intersection / (K.sum(y_true_f) + K.sum(y_pred_f))  # expect: NAN302 unsafe
