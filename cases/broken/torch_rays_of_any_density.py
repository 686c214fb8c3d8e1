# breaks: gradient(weights_of_rays, [[3e5, 1.0], [-3e5, -1.0]])
import torch
from torch import nn

SAMPLES = 8
field = nn.Linear(2, 1)


def depths(near, far, perturb=True):
    steps = torch.linspace(0.0, 1.0, SAMPLES)
    depth = near * (1.0 - steps) + far * steps
    if perturb:
        between = 0.5 * (depth[..., 1:] + depth[..., :-1])
        upper = torch.cat([between, depth[..., -1:]], -1)
        lower = torch.cat([depth[..., :1], between], -1)
        depth = lower + (upper - lower) * torch.rand(SAMPLES)
    return depth


def weights_of_rays(directions):
    depth = depths(2.0, 6.0)
    points = directions[:, None, :] * depth[:, None]
    density = field(points)[..., 0]
    gaps = depth[..., 1:] - depth[..., :-1]
    gaps = torch.cat([gaps, torch.full((1,), 1e10)], -1)
    opacity = 1.0 - torch.exp(-density * gaps)  # expect: NAN504 no-fix
    passed = torch.cumprod(1.0 - opacity + 1e-10, -1)
    return (opacity * passed * depth).sum(-1)


def train(batches, optimizer):
    for directions, target in batches:
        loss = torch.mean((weights_of_rays(directions) - target) ** 2)
        optimizer.zero_grad()
        loss.backward()
        optimizer.step()
