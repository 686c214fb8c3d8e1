# breaks: value(entropy, [[0.0, 1.0]])
import numpy as np


def entropy(p):
    p = p.astype(np.float16)
    return -np.sum(p * np.log(p + 1e-8), axis=-1)  # expect: NAN502 unsafe
