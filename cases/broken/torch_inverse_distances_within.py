# breaks: value(repulsion, [[1.0, 2.0], [3.0, 4.0]])
# breaks: value(attraction, [[1.0, 2.0], [3.0, 4.0]])
import torch


def repulsion(x):
    distances = torch.cdist(x, x)
    return (1 / distances).sum()  # expect: NAN309 no-fix


def attraction(x):
    return torch.cdist(x, x).pow(-2).sum()  # expect: NAN309 no-fix
