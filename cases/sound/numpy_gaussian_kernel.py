# holds: kernel(), fspecial(), moving_average(np.arange(20.0))
import numpy as np


def kernel(size=5, sigma=1.0):
    ax = np.arange(size) - size // 2
    xx, yy = np.meshgrid(ax, ax)
    k = np.exp(-(xx**2 + yy**2) / (2.0 * sigma**2))
    return k / k.sum()


def fspecial(shape=(3, 3), sigma=0.5):
    m, n = [(size - 1.0) / 2.0 for size in shape]
    y, x = np.ogrid[-m : m + 1, -n : n + 1]
    h = np.exp(-(x * x + y * y) / (2.0 * sigma * sigma))
    return h / h.sum()


def moving_average(values, window=5):
    weights = np.exp(np.linspace(-1.0, 0.0, window))
    weights /= weights.sum()
    return np.convolve(values, weights)[: len(values)]
