# breaks: value(lambda s: filled(s, torch.zeros(2, dtype=torch.bool)), [1.0, 2.0])
# breaks: value(lambda s: written(s, torch.zeros(2, dtype=torch.bool)), [1.0, 2.0])
# breaks: value(lambda s: chosen(s, torch.zeros(2, dtype=torch.long)), [1.0, 2.0])
# breaks: value(lambda s: shifted(s, torch.zeros(2, dtype=torch.bool)), [1.0, 2.0])
import torch


def filled(scores, keep):
    gate = torch.sigmoid(scores).masked_fill(~keep, 0.0)
    return gate / gate.sum(-1, keepdim=True)  # expect: NAN302 unsafe


def written(scores, keep):
    gate = torch.sigmoid(scores)
    gate[~keep] = 0
    return gate / gate.sum(-1, keepdim=True)  # expect: NAN302 unsafe


def chosen(scores, tokens):
    gate = torch.where(tokens == 0, torch.zeros_like(scores), torch.sigmoid(scores))
    return gate / gate.sum(-1, keepdim=True)  # expect: NAN302 unsafe


def shifted(scores, keep):
    weight = torch.exp(scores - scores.amax(-1, keepdim=True))
    weight[~keep] = 0
    return weight / weight.sum(-1, keepdim=True)  # expect: NAN302 unsafe
