# holds: value(log_normalizer, [1000.0, 0.0])
# holds: value(unit_rows, [[1.0, 2.0], [1.0, 2.0]])
from scipy._lib._array_api import array_namespace


def log_normalizer(x):
    xp = array_namespace(x)
    largest = xp.max(x, axis=-1, keepdims=True)
    return largest + xp.log(xp.sum(xp.exp(x - largest), axis=-1, keepdims=True))


def unit_rows(x):
    xp = array_namespace(x)
    centred = x - xp.mean(x, axis=0)
    return centred / xp.maximum(xp.linalg.norm(centred, axis=-1, keepdims=True), 1e-8)
