# holds: value(reheated, [[0.7, 0.2, 0.1], [0.0, 0.5, 0.5]])
# holds: value(shares_of_losses, [0.5, 2.0, 0.0])
# holds: value(shares_of_losses, [0.0, 0.0])
import numpy as np


def reheated(probabilities, temperature=0.1):
    logits = np.log(probabilities) / temperature
    powers = np.exp(logits)
    return powers / np.sum(powers, axis=1, keepdims=True)


def shares_of_losses(errors):
    losses = np.abs(errors)
    largest = losses.max()
    if largest == 0:
        losses = np.full(losses.shape[0], 1e-5)
        largest = 1
    weights = np.exp(losses / largest)
    return weights / np.sum(weights)
