# holds: value(lm_loss, [[[0.0, 1.0], [1.0, 0.0]]], [[1, 0]])
import torch
import torch.nn as nn

criterion = nn.CrossEntropyLoss(ignore_index=-100, label_smoothing=0.1)


def lm_loss(logits, targets):
    return criterion(logits.view(-1, logits.size(-1)), targets.view(-1))


def perplexity(mean_nll):
    return torch.exp(torch.clamp(mean_nll, max=20.0))
