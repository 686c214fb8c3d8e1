# holds: value(log_probability, [-200.0])
# holds: value(log_similarity, [[1.0, 0.0]], [[-1.0, 0.0]])
import torch
import torch.nn.functional as F


def log_probability(x):
    return torch.log((1 + 0.99 * torch.tanh(x)) / 2)


def log_similarity(x, y):
    return torch.log(1.1 + F.cosine_similarity(x, y))
