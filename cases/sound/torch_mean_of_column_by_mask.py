# holds: value(height, [[0.0, 1.0], [1.0, 2.0]], [-1.0, -1.0])
# holds: value(centres, [[0.0, 1.0], [1.0, 2.0]], [1.0, 1.0])
# holds: value(middle, [[0.0, 1.0], [1.0, 2.0]])
import torch


def height(points, depth):
    chosen = points[depth > 0, 1]
    if len(chosen) == 0:
        return torch.zeros(())
    return torch.mean(chosen)


def centres(points, labels, number=2):
    found = []
    for label in range(number):
        mask = labels == label
        if mask.any():
            found.append(points[mask, 0].mean())
    return torch.stack(found)


def middle(points):
    return torch.mean(points[[0, 1], 1])
