# breaks: gradient(distance, [[1.0, 2.0]], [[1.0, 2.0]])
# breaks: value(logs, [0.5, -0.5])
# breaks: gradient(angle, [1.0])
import torch


def distance(x, y):
    squared = (x * x).sum(1) - 2 * (x * y).sum(1) + (y * y).sum(1)
    squared[squared < 0] = 0
    return torch.sqrt(squared)  # expect: NAN203 unsafe


def logs(p):
    return torch.log(p.masked_fill(p < 0, 0.0))  # expect: NAN201 unsafe


def angle(cosine):
    cosine = cosine.clone()
    cosine[cosine > 1] = 1.0
    return torch.acos(cosine)  # expect: NAN208 unsafe
