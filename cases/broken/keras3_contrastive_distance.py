# breaks: gradient(lambda a: contrastive(ops.zeros((1,)), a, a), [[1.0, 2.0]])
from keras import ops


def contrastive(same, a, b, margin=1.0):
    d = ops.sqrt(ops.sum(ops.square(a - b), axis=-1))  # expect: NAN203
    return ops.mean(same * ops.square(d) + (1 - same) * ops.square(ops.maximum(margin - d, 0)))
