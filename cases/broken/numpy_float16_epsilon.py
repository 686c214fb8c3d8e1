# breaks: value(embed, [[0.0, 0.0]])
import numpy as np


def embed(vectors):
    vectors = np.asarray(vectors, dtype=np.float16)
    norms = np.linalg.norm(vectors, axis=1, keepdims=True)  # expect: NAN507 no-fix
    return vectors / (norms + np.float16(1e-8))  # expect: NAN502 unsafe
