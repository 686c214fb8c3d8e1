# holds: directions(8), plotted()
import numpy as np

rng = np.random.default_rng(0)


def directions(n):
    v = rng.normal(size=(n, 3))
    return v / np.linalg.norm(v, axis=1, keepdims=True)


def plotted():
    t = np.linspace(0, 10, 100)
    u = (t - t.min()) / (t.max() - t.min())
    noise = np.random.randn(100)
    return u + noise / np.linalg.norm(noise)
