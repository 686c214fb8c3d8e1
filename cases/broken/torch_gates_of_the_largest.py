# breaks: value(gates, [[-1.0, -2.0, -3.0]])
# breaks: value(gates_by_sorting, [[-1.0, -2.0, -3.0]])
import torch
import torch.nn.functional as F


def gates(scores, k=2):
    values, indices = torch.topk(F.relu(scores), k, dim=-1)
    return values / values.sum(-1, keepdim=True), indices  # expect: NAN302 unsafe


def gates_by_sorting(scores):
    values = F.relu(scores).sort(dim=-1, descending=True).values[..., :2]
    return values / values.sum(-1, keepdim=True)  # expect: NAN302 unsafe
