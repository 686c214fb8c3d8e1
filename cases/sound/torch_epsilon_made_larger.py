# holds: value(train, [0.0, 0.5])
import torch

EPS = 1e-6


def coarse():
    global EPS
    EPS = 1e-3


def log_loss(p):
    return -torch.log(p.clamp(min=EPS)).mean()


def train(p):
    coarse()
    return log_loss(p)
