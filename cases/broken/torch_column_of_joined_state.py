# breaks: value(loss, 1.0)
import torch


def states():
    positions = torch.linspace(-10.0, 10.0, 8)
    speeds = 0.99 * torch.tanh(torch.linspace(-10.0, 10.0, 8))
    return torch.stack([positions, speeds], dim=1)


def loss(scale):
    state = states()
    weights = torch.sqrt(1 - state[:, 0] ** 2)  # expect: NAN207 no-fix
    return torch.sum(weights * scale * state[:, 1])
