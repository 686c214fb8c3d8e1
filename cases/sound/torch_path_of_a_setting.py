# holds: gradient(lambda r: angles(r), [[[1.0, 0.0, 0.0], [0.0, 1.0, 0.0], [0.0, 0.0, 1.0]]])
import torch


def rotation_angle(r, bound=1e-4):
    cosine = (r[:, 0, 0] + r[:, 1, 1] + r[:, 2, 2] - 1.0) * 0.5
    if bound > 0.0:
        return torch.acos(cosine.clamp(-1 + bound, 1 - bound))
    return torch.acos(cosine)


def angles(r):
    return rotation_angle(r)


def train(model, optimizer, x):
    loss = angles(model(x)).sum()
    loss.backward()
    optimizer.step()
