# holds: value(lambda x: torch.tensor(shown(x, x)), [1.0, 2.0])
# holds: gradient(lambda x: step(x, x), [1.0, 2.0])
import math

import torch


def shown(x: torch.Tensor, y: torch.Tensor):
    """A number of Python, through which nothing is differentiated."""
    return math.sqrt(((x - y) ** 2).mean())


def step(x, y):
    return (x * y).sum() * (1 + shown(x, y))


def train(model, optimizer, x, y):
    loss = step(model(x), y)
    loss.backward()
    optimizer.step()
