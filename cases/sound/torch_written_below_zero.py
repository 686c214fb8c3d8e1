# holds: gradient(distance, [[1.0, 2.0]], [[1.0, 2.0]])
# holds: value(logs, [0.5, -0.5])
# holds: gradient(angle, [2.0])
import torch


def distance(x, y):
    squared = (x * x).sum(1) - 2 * (x * y).sum(1) + (y * y).sum(1)
    squared[squared < 1e-12] = 1e-12
    return torch.sqrt(squared)


def logs(p):
    return torch.log(p.masked_fill(p <= 0, 1e-12))


def angle(cosine):
    cosine = cosine.clone()
    cosine[cosine > 1 - 1e-6] = 1 - 1e-6
    cosine[cosine < -1 + 1e-6] = -1 + 1e-6
    return torch.acos(cosine)
