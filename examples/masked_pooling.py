"""Sentence vectors and their distances: an empty sentence, or two equal ones, is enough."""

import torch

PAD = 0


def sentence_vector(embedded, tokens):
    mask = (tokens != PAD).float()
    total = (embedded * mask.unsqueeze(-1)).sum(dim=1)
    return total / mask.sum(dim=1, keepdim=True)


def log_weight(weight):
    return torch.where(weight > 0, torch.log(weight), torch.zeros_like(weight))


def distance(a, b):
    return torch.sqrt(torch.sum((a - b) ** 2, dim=-1))


def contrastive_loss(a, b, same, margin=1.0):
    d = distance(a, b)
    return (same * d**2 + (1 - same) * torch.relu(margin - d) ** 2).mean()


def weighted_loss(loss, weight):
    return (weight * loss - log_weight(weight)).mean()
