# breaks: value(loss, [[200.0], [-200.0]])
import torch
from torch import nn

cuts = nn.Parameter(torch.tensor([0.0, 1.0, 2.0]))


def loss(score):
    below = torch.sigmoid(cuts - score)
    probability = torch.diff(below, dim=1)
    return -torch.log(probability).mean()  # expect: NAN201 unsafe
