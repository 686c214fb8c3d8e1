# breaks: value(attacked, [[0.0, 0.0], [1.0, 2.0]])
# breaks: value(flagged, [[0.0, 0.0], [1.0, 2.0]])
# breaks: value(flagged_by_caller, [[0.0, 0.0], [1.0, 2.0]])
# breaks: value(weighed, [[0.0, 0.0], [1.0, 2.0]])
import torch
from torch import nn


def array_of(tensor):
    return tensor.detach().numpy()


def attacked(frames):
    x = torch.from_numpy(array_of(frames)).float()
    x.requires_grad_()
    x.pow(2).sum(1).sqrt().sum().backward()  # expect: NAN203
    return x.grad


def flagged(frames):
    y = torch.from_numpy(array_of(frames))
    y.requires_grad = True
    y.pow(2).sum(1).sqrt().sum().backward()  # expect: NAN203
    return y.grad


def _differentiate(z):
    z.pow(2).sum(1).sqrt().sum().backward()  # expect: NAN203


def _flag(z):
    z.requires_grad = True
    _differentiate(z)
    return z.grad


def flagged_by_caller(frames):
    return _flag(torch.from_numpy(array_of(frames)))


def weighed(frames):
    layer = nn.Linear(2, 2, bias=False)
    layer(torch.from_numpy(array_of(frames))).pow(2).sum(1).sqrt().sum().backward()  # expect: NAN203
    return layer.weight.grad
