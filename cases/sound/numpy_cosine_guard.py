# holds: value(cosine_similarity, [0.0, 0.0], [1.0, 0.0])
import numpy as np


def cosine_similarity(a, b):
    na, nb = np.linalg.norm(a), np.linalg.norm(b)
    if na == 0 or nb == 0:
        return 0.0
    return np.dot(a, b) / (na * nb)
