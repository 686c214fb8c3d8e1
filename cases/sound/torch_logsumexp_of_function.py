# holds: value(lambda x: forward(x, torch.zeros(2, 2), torch.tensor([[True, False], [True, False]])), [[0.0, 1.0]])
import torch


def logsumexp(scores, dim):
    top = scores.max(dim=dim, keepdim=True).values
    return (top + (scores - top).exp().sum(dim, keepdim=True).log()).squeeze(dim)


def forward(emitted, transitions, forbidden):
    return logsumexp(emitted.unsqueeze(2) + transitions.masked_fill(forbidden, -1e4), 1)
