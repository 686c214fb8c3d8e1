# breaks: value(target_of, [[-99.0, -99.0], [99.0, 99.0]])
import torch
from torch import nn

rate = nn.Sequential(nn.Linear(2, 1), nn.ReLU())


@torch.no_grad()
def target_of(state):
    expected = rate(state)
    return torch.log(expected)  # expect: NAN201 unsafe


def step(state, estimate):
    loss = (estimate - target_of(state)).square().mean()
    loss.backward()
    return loss
