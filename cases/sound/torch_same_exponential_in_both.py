# holds: value(mish, [100.0, 1.0])
# holds: value(bound, [1000.0, 1.0])
# holds: value(planck, [1000.0, 1.0])
import torch


def mish(x):
    n = torch.exp(x.clamp(max=20))
    return x * (n * (n + 2)) / (n * (n + 2) + 2)


def bound(x, affinity=0.3):
    weight = torch.exp(-x)
    return affinity / (affinity + weight)


def planck(x):
    return x**3 / (torch.exp(x) - 1)


def left(time, rate, weight):
    remains = weight * torch.exp(-rate * time)
    return remains / (remains + 1)


def reliability(log_precision, noise):
    precision = torch.exp(log_precision)
    return precision / (precision + noise)


def fused(x, y):
    top = torch.maximum(x, y)
    e, f = torch.exp(x - top), torch.exp(y - top)
    return 0.5 * e / (0.5 * e + f)
