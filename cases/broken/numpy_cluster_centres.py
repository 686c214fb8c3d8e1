# breaks: value(update_centres, [[1.0], [2.0]], [0, 0])
import numpy as np


def update_centres(X, labels, k=2):
    X, labels = np.asarray(X), np.asarray(labels)
    return np.array([X[labels == j].mean(axis=0) for j in range(k)])  # expect: NAN307 no-fix
