# holds: gradient(distance, [1.0, 2.0], [1.0, 2.0])
import torch


def distance(x, y, parts=False):
    squares = (x - y) ** 2 + 1e-12
    if parts:
        squares = tuple(squares)
    else:
        squares = squares.sum()
    return torch.sqrt(squares)
