# breaks: value(reheated, [[100.0, 20.0, 1.0]])
# breaks: value(of_mean, [1e6] + [0.0] * 1600)
# breaks: value(of_no_share, [[1e20, 0.0]])
# breaks: value(of_inverses, [[1e-300, 0.5, 0.5]])
# breaks: value(of_other, [900.0, 20.0], [1.0, 0.5])
import numpy as np


def reheated(scores, temperature=0.1):
    powers = np.exp(scores / temperature)
    return powers / np.sum(powers, axis=1, keepdims=True)  # expect: NAN103


def of_mean(errors):
    losses = np.abs(errors) + 1
    weights = np.exp(losses / losses.mean())
    return weights / np.sum(weights)  # expect: NAN103


def of_other(losses, others):
    weights = np.exp(losses / others.max())
    return weights / np.sum(weights)  # expect: NAN103


def of_no_share(x, temperature=0.1):
    powers = np.exp(np.log(1 + np.square(x)) / temperature)
    return powers / np.sum(powers, axis=1, keepdims=True)  # expect: NAN103


def of_inverses(probabilities, strength=2.0):
    powers = np.exp(np.log(probabilities) * -strength)
    return powers / np.sum(powers, axis=1, keepdims=True)  # expect: NAN103
