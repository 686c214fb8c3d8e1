# breaks: gradient(log_or_zero, [0.0, 2.0])
from tensorflow.keras import backend as K


def log_or_zero(x):
    return K.switch(x > 0, K.log(x), K.zeros_like(x))  # expect: NAN401
