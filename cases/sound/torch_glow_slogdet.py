# holds: gradient(log_det, [[2.0, 0.0], [0.0, -1.0]])
import torch


def log_det(weight, height=4, width=4):
    return torch.slogdet(weight)[1] * height * width
