# holds: value(embed, [[0.0, 0.0]])
import numpy as np


def embed(vectors):
    vectors = np.asarray(vectors, dtype=np.float16)
    norms = np.linalg.norm(vectors.astype(np.float32), axis=1, keepdims=True)
    return (vectors / (norms + 1e-8)).astype(np.float16)
