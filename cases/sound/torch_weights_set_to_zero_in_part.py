# possible: ignored
# holds: value(lambda s: largest(s), [1.0, 2.0])
# holds: value(lambda s: nucleus(s), [1.0, 2.0])
# holds: value(lambda s: causal(s, torch.tril(torch.ones(2, 2))), [[1.0, 2.0], [2.0, 1.0]])
# holds: value(lambda s: lower(s), [[1.0, 2.0], [2.0, 1.0]])
# holds: value(lambda s: replaced(s, torch.zeros(2, dtype=torch.bool)), [1.0, 2.0])
# holds: value(lambda s: floored(s, torch.zeros(2, dtype=torch.bool)), [1.0, 2.0])
# holds: value(lambda s: Causal()(s), [[1.0, 2.0], [2.0, 1.0]])
import torch
from torch import nn


def largest(scores):
    gate = torch.sigmoid(scores)
    least = gate.topk(1).values[..., -1:]
    gate = gate.masked_fill(gate < least, 0)
    return gate / gate.sum(-1, keepdim=True)


def nucleus(scores):
    p, _ = torch.softmax(scores, -1).sort(descending=True)
    p[p.cumsum(-1) - p > 0.9] = 0
    return p / p.sum(-1, keepdim=True)


def causal(scores, causal_mask):
    weight = torch.sigmoid(scores).masked_fill(causal_mask == 0, 0)
    return weight / weight.sum(-1, keepdim=True)


def lower(scores):
    seen = torch.tril(torch.ones_like(scores)).bool()
    weight = torch.sigmoid(scores).masked_fill(~seen, 0)
    return weight / weight.sum(-1, keepdim=True)


def replaced(scores, keep):
    gate = torch.sigmoid(scores).masked_fill(~keep, 1e-6)
    return gate / gate.sum(-1, keepdim=True)


def floored(scores, keep):
    gate = torch.sigmoid(scores)
    gate[~keep] = 0
    return gate / gate.sum(-1, keepdim=True).clamp(min=1e-6)


class Causal(nn.Module):
    def __init__(self):
        super().__init__()
        self.register_buffer("seen", torch.tril(torch.ones(2, 2)))

    def forward(self, scores):
        weight = torch.sigmoid(scores).masked_fill(self.seen == 0, 0)
        return weight / weight.sum(-1, keepdim=True)
