# holds: value(train, [-1.0, 2.0])
import torch


def log_rate(rate, eps):
    return torch.log(rate + eps).mean()


def train(x):
    return log_rate(torch.relu(x), eps=1e-6)
