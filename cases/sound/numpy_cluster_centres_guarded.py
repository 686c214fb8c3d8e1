# holds: value(update_centres, [[1.0], [2.0]], [0, 0])
import numpy as np


def update_centres(X, labels, k=2):
    centres = np.zeros((k, X.shape[1]))
    for j in range(k):
        members = X[labels == j]
        if len(members) > 0:
            centres[j] = members.mean(axis=0)
    return centres
