# holds: value(gates, [[-1.0, -200.0, 300.0]])
# holds: value(log_of_largest, [[-1.0, -200.0, 300.0]])
# holds: value(gates_by_sorting, [[-1.0, -200.0, 300.0]])
# holds: value(shifted, [[-1.0, -200.0, -300.0]])
import torch
import torch.nn.functional as F


def gates(scores, k=2):
    values, indices = torch.topk(F.softmax(scores, dim=-1), k, dim=-1)
    return values / values.sum(-1, keepdim=True), indices


def log_of_largest(scores):
    best, _ = F.softmax(scores, dim=-1).topk(1, dim=-1)
    return best.log()


def gates_by_sorting(scores):
    values = F.softmax(scores, dim=-1).sort(dim=-1, descending=True)[0][..., :2]
    return values / values.sum(-1, keepdim=True)


def shifted(scores):
    values, _ = torch.topk(F.relu(scores) + 1e-3, 2)
    return values / values.sum(-1, keepdim=True)
