# breaks: value(lambda s: torch.autograd.grad(loss(s, torch.eye(2)), s)[0], torch.zeros(1).requires_grad_())
import torch


def distances(a, b):
    return (a.unsqueeze(1) - b.unsqueeze(0)).square().sum(-1).sqrt()  # expect: NAN203


def kernel(scale, a, b):
    s = scale.exp()
    return torch.exp(-distances(a / s, b / s))


def loss(scale, x):
    return kernel(scale, x, x).mean()


def train(scale, loader):
    optimizer = torch.optim.Adam([scale])
    for x in loader:
        loss(scale, x).backward()
        optimizer.step()
