# breaks: value(train, [-1.0, 2.0])
import torch


def log_rate(rate, eps):
    return torch.log(rate + eps).mean()  # expect: NAN201 no-fix


def train(x):
    return log_rate(torch.relu(x), eps=0)
