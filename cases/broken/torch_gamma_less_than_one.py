# breaks: gradient(focal, [1.0, 0.5])
import torch


def focal(p, gamma=0.5):
    return ((1 - p) ** gamma * -torch.log(p)).sum()  # expect: NAN206 possible
