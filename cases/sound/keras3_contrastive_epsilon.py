# holds: gradient(lambda a: contrastive(ops.ones((1,)), a, a), [[1.0, 2.0]])
from keras import ops


def contrastive(same, a, b, margin=1.0):
    d = ops.sqrt(ops.maximum(ops.sum(ops.square(a - b), axis=-1), 1e-12))
    return ops.mean(same * ops.square(d) + (1 - same) * ops.square(ops.maximum(margin - d, 0)))
