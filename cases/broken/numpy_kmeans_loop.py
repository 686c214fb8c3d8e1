# breaks: value(lambda X: kmeans(X, np.array([[0.0], [1.0], [1000.0]])), [[0.0], [1.0]])
import numpy as np


def kmeans(X, centroids, n_iter=10):
    for _ in range(n_iter):
        distances = np.linalg.norm(X[:, None] - centroids[None], axis=2)
        labels = np.argmin(distances, axis=1)
        for k in range(len(centroids)):
            members = X[labels == k]
            centroids[k] = members.mean(axis=0)  # expect: NAN307 no-fix
    return centroids
