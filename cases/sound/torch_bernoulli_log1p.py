# holds: value(loss, [1.0, 0.5], [0.0, 1.0])
import torch


def log_likelihood(probabilities, labels):
    p = probabilities.clamp(0, 1 - 1e-6)
    return labels * torch.log(p + 1e-8) + (1 - labels) * torch.log1p(-p)


def loss(probabilities, labels):
    return -log_likelihood(probabilities, labels).mean()
