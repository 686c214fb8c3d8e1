# holds: value(kernel, 11.0)
import numpy as np


def kernel(size):
    angle = np.random.rand() * np.pi
    turn = np.array([[np.cos(angle), -np.sin(angle)], [np.sin(angle), np.cos(angle)]])
    covariance = turn @ np.diag([0.6, 2.5]) @ turn.T
    precision = np.linalg.inv(covariance)[None, None, :, :]
    xs, ys = np.meshgrid(np.arange(size), np.arange(size))
    offsets = np.stack([xs, ys], 2)[:, :, :, None] - size // 2
    turned = offsets.transpose(0, 1, 3, 2)
    weights = np.exp(-0.5 * np.squeeze(turned @ precision @ offsets))
    return weights / np.sum(weights)
