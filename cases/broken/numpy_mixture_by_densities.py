# breaks: value(lambda x: likelihood(x, 0.0, 1.0), [0.0, 50.0])
# breaks: value(lambda x: responsibilities(x, [0.5, 0.5], [0.0, 1.0], [1.0, 1.0]), [0.0, 50.0])
# Densities underflow to 0 far from their mass, also where a loop writes them into a table.
import numpy as np
from scipy.stats import norm


def likelihood(x, mean, deviation):
    return np.sum(np.log(norm.pdf(x, mean, deviation)))  # expect: NAN201 no-fix


def responsibilities(x, weights, means, deviations):
    table = np.zeros((len(x), len(weights)))
    for k in range(len(weights)):
        table[:, k] = weights[k] * norm(means[k], deviations[k]).pdf(x)
    return table / table.sum(axis=1, keepdims=True)  # expect: NAN302 unsafe
