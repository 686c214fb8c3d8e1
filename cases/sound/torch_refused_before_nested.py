# holds: gradient(lambda z: contrastive(z, torch.tensor([[1.0, 0.0], [0.0, 1.0]])), [[0.5, 0.0], [0.0, 2.0]])
# holds: value(lambda z: contrastive(z, torch.tensor([[1.0, 0.0], [0.0, 1.0]])), [[0.5, 0.0], [0.0, 2.0]])
import torch


def refuse_equal(squares):
    if torch.any(squares == 0):
        raise ValueError("two points are the same")


def contrastive(x, y, margin=1.0):
    squares = ((x - y) ** 2).sum(-1)
    refuse_equal(squares)

    def hinge(bound):
        return torch.relu(bound - torch.sqrt(squares)).mean()

    return hinge(margin) + torch.sqrt(squares).mean()
