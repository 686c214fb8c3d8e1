# holds: value(repulsion, [[1.0, 2.0], [3.0, 4.0]])
# holds: value(softened, [[1.0, 2.0], [3.0, 4.0]])
# holds: value(lambda x: between(x, x + 1.0), [[1.0, 2.0], [3.0, 5.0]])
import torch


def repulsion(x):
    distances = torch.cdist(x, x)
    distances = distances + torch.diag(torch.full((len(x),), float("inf")))
    return (1 / distances).sum()


def softened(x):
    return (1 / (torch.cdist(x, x) + 1e-3)).sum()


def between(x, y):
    return (1 / torch.cdist(x, y)).sum()
