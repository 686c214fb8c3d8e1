# breaks: value(lambda x: whitened(np.sin(np.arange(30.0)).reshape(5, 6) * x), 1.0)
# breaks: value(lambda x: whitened_by_products(np.sin(np.arange(30.0)).reshape(5, 6) * x), 1.0)
import numpy as np


def whitened(x):
    values, vectors = np.linalg.eigh(np.cov(x.T))
    return x @ vectors / np.sqrt(values)  # expect: NAN207 no-fix


def whitened_by_products(x):
    centred = x - x.mean(0)
    values, vectors = np.linalg.eigh(centred.T @ centred / len(x))
    return centred @ vectors @ np.diag(values**-0.5)  # expect: NAN207 no-fix
