# breaks: value(loss, [[1.0]], [[-100.0]])
import tensorflow.keras.backend as K


def loss(y_true, y_pred):
    return K.mean((1.0 - y_true) * y_pred + K.log(1.0 + K.exp(-y_pred)), axis=-1)  # expect: NAN108
