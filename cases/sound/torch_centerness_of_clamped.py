# holds: value(centerness, [[-1.0, -2.0]])
# holds: value(share, [1.0, -2.0])
import torch


def centerness(distances):
    left, right = distances.clamp(min=0).unbind(-1)
    return torch.min(left, right) / torch.max(left, right).clamp(min=1e-6)


def share(x):
    return torch.relu(x) / torch.maximum(torch.relu(x), torch.relu(-x))
