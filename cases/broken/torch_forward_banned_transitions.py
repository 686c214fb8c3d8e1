# breaks: gradient(log_partition, [[0.0, 0.0], [0.0, 0.0]], [[0.0, 0.0], [0.0, 0.0]])
import torch

ALLOWED = torch.tensor([[True, False], [True, False]])


def log_partition(emissions, transitions):
    transitions = transitions.masked_fill(~ALLOWED, float("-inf"))
    alpha = emissions[0]
    for emission in emissions[1:]:
        alpha = torch.logsumexp(alpha.unsqueeze(1) + transitions, dim=0) + emission  # expect: NAN406 possible
    return torch.logsumexp(alpha, dim=0)
