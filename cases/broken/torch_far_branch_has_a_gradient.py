# breaks: gradient(bessel, [[0.0, 7.0]])
import torch


def _far(x):
    return torch.cos(x) / torch.sqrt(x)  # expect: NAN203 unsafe


def bessel(x):
    x = torch.abs(x)
    return torch.where(x < 5.0, x, _far(x))


def train(x, optimizer):
    loss = bessel(x).mean()
    loss.backward()
    optimizer.step()
