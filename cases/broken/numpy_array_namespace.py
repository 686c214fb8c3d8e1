# breaks: value(log_normalizer, [1000.0, 0.0])
# breaks: value(unit_rows, [[1.0, 2.0], [1.0, 2.0]])
# breaks: value(weights, [1000.0, 0.0])
from scipy._lib._array_api import array_namespace


def log_normalizer(x):
    xp = array_namespace(x)
    return xp.log(xp.sum(xp.exp(x), axis=-1))  # expect: NAN104


def unit_rows(x):
    xp = array_namespace(x)
    centred = x - xp.mean(x, axis=0)
    return centred / xp.linalg.norm(centred, axis=-1, keepdims=True)  # expect: NAN303 unsafe


def weights(x):
    namespace = array_namespace(x)
    e = namespace.exp(x)
    return e / namespace.sum(e)  # expect: NAN103
