# breaks: gradient(lambda z: contrastive(z, torch.tensor([[1.0, 0.0], [0.0, 1.0]])), [[1.0, 0.0], [0.0, 2.0]])
import torch


def refuse_negative(squares):
    if torch.any(squares < 0):
        raise ValueError("no squares")


def contrastive(x, y, margin=1.0):
    squares = ((x - y) ** 2).sum(-1)
    refuse_negative(squares)

    def hinge(bound):
        return torch.relu(bound - torch.sqrt(squares)).mean()  # expect: NAN203

    return hinge(margin) + torch.sqrt(squares).mean()  # expect: NAN203
