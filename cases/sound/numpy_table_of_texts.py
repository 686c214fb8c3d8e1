# holds: value(lambda x: as_numbers(np.array([["a", "1.0"], ["b", "2.0"]])) + x.sum(), [0.0])
import numpy as np
import torch


def as_numbers(cells):
    return cells[:, 1:].astype(np.float32)


def load(path):
    """An empty cell raises an error where the texts become numbers."""
    return np.genfromtxt(path, dtype=np.dtype(str))


def train(model, optimizer, path, y):
    x = torch.tensor(np.genfromtxt(path, dtype=str)[:, 1:].astype(np.float32))
    loss = ((model(x) - y) ** 2).mean()
    loss.backward()
    optimizer.step()


def train_on_edges(model, optimizer, path, y):
    edges = torch.tensor(np.genfromtxt(path, dtype=np.int32).astype(np.float32))
    loss = ((model(edges) - y) ** 2).mean()
    loss.backward()
    optimizer.step()
