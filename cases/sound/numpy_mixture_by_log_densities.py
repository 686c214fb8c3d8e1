# holds: value(lambda x: likelihood(x, 0.0, 1.0), [0.0, 50.0])
# holds: value(lambda x: floored(x, 0.0, 1.0), [0.0, 50.0])
# holds: value(lambda x: responsibilities(x, [0.5, 0.5], [0.0, 1.0], [1.0, 1.0]), [0.0, 50.0])
# holds: value(lambda x: normalized(x, [0.5, 0.5], [0.0, 1.0]), [0.0, 50.0])
# The logarithms of densities do not underflow, nor do densities that something is added to.
import numpy as np
from scipy.special import logsumexp
from scipy.stats import norm


def likelihood(x, mean, deviation):
    return np.sum(norm.logpdf(x, mean, deviation))


def floored(x, mean, deviation):
    return np.sum(np.log(norm.pdf(x, mean, deviation) + 1e-300))


def responsibilities(x, weights, means, deviations):
    table = np.zeros((len(x), len(weights)))
    for k in range(len(weights)):
        table[:, k] = np.log(weights[k]) + norm(means[k], deviations[k]).logpdf(x)
    return np.exp(table - logsumexp(table, axis=1, keepdims=True))


def normalized(x, weights, means):
    table = np.zeros((len(x), len(weights)))
    for k in range(len(weights)):
        table[:, k] = 1e-12 + weights[k] * norm.pdf(x, means[k])
    return table / table.sum(axis=1, keepdims=True)
