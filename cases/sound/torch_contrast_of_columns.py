# holds: value(of_columns, [[100.0, 100.0]], [[100.0, 100.0]])
# holds: value(of_rows, [[100.0, 100.0]], [[100.0, 100.0]])
# holds: value(of_queue, [[100.0, 100.0]], [[1.0], [1.0]])
# holds: value(of_vectors, [100.0, 100.0], [100.0, 100.0])
import torch
import torch.nn.functional as F


def of_columns(x, y, temperature=0.02):
    x, y = F.normalize(x, dim=0), F.normalize(y, dim=0)
    scores = torch.exp(x.t() @ y / temperature)
    return scores / scores.sum(-1, keepdim=True)


def of_rows(x, y, temperature=0.02):
    x, y = F.normalize(x), F.normalize(y)
    scores = torch.exp(torch.matmul(x, y.T) / temperature)
    return scores / scores.sum(-1, keepdim=True)


def of_queue(x, queue, temperature=0.02):
    x, queue = F.normalize(x, dim=1), F.normalize(queue, dim=0)
    scores = torch.exp(torch.mm(x, queue) / temperature)
    return scores / scores.sum(-1, keepdim=True)


def of_vectors(x, y, temperature=0.02):
    x, y = F.normalize(x, dim=0), F.normalize(y, dim=0)
    score = torch.exp(x @ y / temperature)
    return score / (score + 1.0)
