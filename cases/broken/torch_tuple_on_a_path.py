# breaks: gradient(distance, [1.0, 2.0], [1.0, 2.0])
# breaks: gradient(length, [0.0, 0.0])
import torch


def distance(x, y, parts=False):
    squares = (x - y) ** 2
    if parts:
        squares = tuple(squares)
    else:
        squares = squares.sum()
    return torch.sqrt(squares)  # expect: NAN203 unsafe


def length(x):
    if isinstance(x, list):
        x = torch.stack(tuple(x))
    return (x**2).sum().sqrt()  # expect: NAN203
