"""The load of experts is divided by its sum: a batch that has tokens gives some to an expert."""

# holds: value(lambda p: balance(torch.tensor([3, 0]), p), [[0.5, 0.5]])
import torch


def balance(tokens_per_expert, probabilities):
    share = tokens_per_expert.float() / tokens_per_expert.float().sum()
    return 2 * (share * probabilities.mean(0)).sum()
