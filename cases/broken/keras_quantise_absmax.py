# breaks: value(quantize_kernel, [0.0, 0.0])
from tensorflow.keras import backend as K


def quantize_kernel(kernel, bits=8):
    m = 2.0 ** (bits - 1) - 1
    scale = K.max(K.abs(kernel)) / m
    return K.round(kernel / scale) * scale  # expect: NAN309 no-fix
