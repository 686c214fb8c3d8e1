# holds: gradient(spread, [[1.0, 2.0], [3.0, 4.0]])
# holds: value(attend, [[1.0, 2.0], [3.0, 4.0]])
# holds: value(scores, [[0.0, 1.0], [2.0, 3.0]])
import torch


def spread(points):
    squares = (points[:, None] - points[None]).pow(2).sum(-1)
    return squares.triu(1).sqrt().sum()


def attend(x):
    weights = torch.softmax(x @ x.t(), dim=-1).tril()
    return weights / (weights.sum(-1, keepdim=True) + 1e-9)


def scores(x):
    return x / x.exp().tril().sum(-1, keepdim=True)
