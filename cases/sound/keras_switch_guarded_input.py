# holds: gradient(log_or_zero, [0.0, 2.0])
from tensorflow.keras import backend as K


def log_or_zero(x):
    safe = K.switch(x > 0, x, K.ones_like(x))
    return K.switch(x > 0, K.log(safe), K.zeros_like(x))
