# holds: value(lambda X: update(X, np.array([0, 0]), np.array([[0.0], [9.0]])), [[0.0], [1.0]])
import numpy as np


def update(X, labels, centroids):
    moved = centroids.copy()
    for k in range(len(centroids)):
        members = X[labels == k]
        if len(members) > 0:
            moved[k] = members.mean(axis=0)
    return moved


def update_any(X, labels, centroids):
    for k in range(len(centroids)):
        mask = labels == k
        if mask.any():
            centroids[k] = X[mask].mean(axis=0)
    return centroids
