# breaks: value(lambda x: listed(np.array([[0.0, 0.0], [x, 0.0]]), [0.5, 0.5], np.zeros((2, 2)), np.ones((2, 2))), 100.0)
# breaks: value(lambda x: stacked(np.array([[0.0, 0.0], [x, 0.0]]), [0.5, 0.5], np.zeros((2, 2)), [np.eye(2)] * 2)[0], 100.0)
# breaks: value(lambda x: smoothed(x, np.zeros(3), np.ones(3), 1.0), 100.0)
# The densities of a point underflow where it is far from all means, and so does their sum.
import numpy as np


def density(x, mean, variance):
    return np.exp(-((x - mean) ** 2) / (2 * variance)) / np.sqrt(2 * np.pi * variance)


def joint_density(x, mean, covariance):
    difference = x - mean
    form = np.sum(difference @ np.linalg.inv(covariance) * difference, axis=1)
    return np.exp(-0.5 * form) / np.sqrt(np.linalg.det(2 * np.pi * covariance))


def listed(x, shares, means, variances):
    parts = [p * density(x, m, v).prod(1) for p, m, v in zip(shares, means, variances)]
    weights = np.stack(parts, 1)
    return weights / weights.sum(1, keepdims=True)  # expect: NAN302 unsafe


def stacked(x, shares, means, covariances):
    weights = np.array([shares[j] * joint_density(x, means[j], covariances[j]) for j in range(2)]).T
    return np.log(weights.sum(1)), weights  # expect: NAN201 no-fix


def smoothed(x, data, targets, rate):
    weights = np.array([np.exp(-rate * np.sum((x - one) ** 2)) for one in data])
    return weights @ targets / weights.sum()  # expect: NAN302 unsafe
