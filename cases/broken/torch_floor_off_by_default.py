# breaks: value(information, [-1.0, 2.0])
# breaks: value(entropy, [-1.0, 2.0])
import torch

FLOOR = 0.0


def information(x, floor=0.0):
    return -torch.log(torch.relu(x) + floor)  # expect: NAN201 unsafe


def entropy(x, floor=FLOOR):
    p = torch.relu(x) + floor
    return -torch.log(p).mean()  # expect: NAN201 unsafe


def squashed(x, gain=1000.0):
    return torch.log(1 - torch.sigmoid(gain * x))  # expect: NAN102
