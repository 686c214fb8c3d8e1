# breaks: value(learned, [[0.0, 0.0]], True)
# breaks: value(folded, [[0.0, 0.0]], True)
import torch
from torch import nn


def lengths(net, inputs, is_squared):
    if is_squared:
        squares = net(inputs).pow(2)
    else:
        squares = torch.zeros(3)
    return torch.sqrt(squares)  # expect: NAN203 unsafe


def learned(inputs, is_squared):
    net = nn.Linear(2, 3, bias=False)
    lengths(net, inputs, is_squared).sum().backward()
    return net.weight.grad


def spreads(net, inputs, is_folded):
    if is_folded:
        spread = torch.abs(net(inputs)).sum(0)
    else:
        spread = torch.zeros(3)
    return torch.sqrt(spread)  # expect: NAN203 unsafe


def folded(inputs, is_folded):
    net = nn.Linear(2, 3, bias=False)
    spreads(net, inputs, is_folded).sum().backward()
    return net.weight.grad
