# breaks: value(propagate, [[[0.0], [0.5], [9.0]]], [[1.0, 1.0, 1.0]])
import torch


def neighbours(pos, real):
    near = torch.cdist(pos, pos) < 2.0
    apart = ~torch.eye(pos.shape[1], dtype=torch.bool)
    return (near & apart & (real[:, :, None] > 0)).float()


def normalised(adj):
    scale = adj.sum(-1).pow(-0.5)  # expect: NAN306 unsafe
    return scale[:, :, None] * adj * scale[:, None, :]


def propagate(pos, real):
    return normalised(neighbours(pos, real)) @ pos
