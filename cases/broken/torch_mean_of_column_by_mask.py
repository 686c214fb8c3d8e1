# breaks: value(height, [[0.0, 1.0], [1.0, 2.0]], [-1.0, -1.0])
# breaks: value(centres, [[0.0, 1.0], [1.0, 2.0]], [1.0, 1.0])
import torch


def height(points, depth):
    return torch.mean(points[depth > 0, 1])  # expect: NAN307 no-fix


def centres(points, labels, number=2):
    found = []
    for label in range(number):
        found.append(points[labels == label, 0].mean())  # expect: NAN307 no-fix
    return torch.stack(found)
