# breaks: value(directions, [[0.0, 1.0]])
# breaks: value(in_plane, [[0.0, 1.0]])
# breaks: value(beside, [[0.0, 0.0]])
import torch


def directions(x):
    d = torch.stack([x / 500.0, -x / 500.0, x], -1)
    return d / torch.norm(d, dim=-1, keepdim=True)  # expect: NAN303 possible


def in_plane(x):
    d = torch.stack([x / 500.0, -x / 500.0, torch.ones_like(x)], -1)[..., :2]
    return d / torch.norm(d, dim=-1, keepdim=True)  # expect: NAN303 possible


def beside(x):
    d = torch.cat([x - x.mean(), torch.ones_like(x)], 0)
    return d / torch.norm(d, dim=-1, keepdim=True)  # expect: NAN303 unsafe
