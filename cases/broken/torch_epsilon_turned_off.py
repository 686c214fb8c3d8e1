# breaks: value(train, [0.0, 0.5])
import torch

EPS = 1e-6


def exact():
    global EPS
    EPS = 0.0


def log_loss(p):
    return -torch.log(p.clamp(min=EPS)).mean()  # expect: NAN201 no-fix


def train(p):
    exact()
    return log_loss(p)
