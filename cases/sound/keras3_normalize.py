# holds: value(lambda a: cosine(a, a), [[0.0, 0.0]])
import keras
from keras import ops


def cosine(a, b):
    a, b = ops.normalize(a, axis=-1), ops.normalize(b, axis=-1)
    return ops.sum(a * b, axis=-1)


norm = keras.layers.LayerNormalization(epsilon=1e-6)
