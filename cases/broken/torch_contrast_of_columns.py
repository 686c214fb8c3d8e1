# breaks: value(of_rows, [[100.0, 100.0]], [[100.0, 100.0]])
# breaks: value(of_turned, [[100.0], [100.0]], [[100.0], [100.0]])
# breaks: value(of_queue, [[100.0, 100.0]], [[1.0], [1.0]])
import torch
import torch.nn.functional as F


def of_rows(x, y, temperature=0.02):
    x, y = F.normalize(x, dim=0), F.normalize(y, dim=0)
    scores = torch.exp(x @ y.t() / temperature)
    return scores / scores.sum(-1, keepdim=True)  # expect: NAN103


def of_turned(x, y, temperature=0.02):
    x, y = F.normalize(x, dim=-1), F.normalize(y, dim=-1)
    scores = torch.exp(torch.matmul(x.T, y) / temperature)
    return scores / scores.sum(-1, keepdim=True)  # expect: NAN103


def of_queue(x, queue, temperature=0.02):
    x, queue = F.normalize(x, dim=0), F.normalize(queue, dim=-1)
    scores = torch.exp(torch.mm(x, queue) / temperature)
    return scores / scores.sum(-1, keepdim=True)  # expect: NAN103
