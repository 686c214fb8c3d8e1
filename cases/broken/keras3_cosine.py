# breaks: value(lambda a: cosine(a, a), [[0.0, 0.0]])
from keras import ops


def cosine(a, b):
    a = a / ops.norm(a, axis=-1, keepdims=True)  # expect: NAN303 possible
    b = b / ops.norm(b, axis=-1, keepdims=True)  # expect: NAN303 possible
    return ops.sum(a * b, axis=-1)
