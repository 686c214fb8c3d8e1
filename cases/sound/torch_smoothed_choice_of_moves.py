# holds: value(lambda x: policy_loss(x, torch.tensor([0]), torch.tensor([[True, True, False]])), [[1.0, 2.0, 3.0]])
import torch
from torch import nn

criterion = nn.CrossEntropyLoss()


def policy_loss(logits, move, is_legal):
    logits = torch.where(is_legal, logits, float("-inf"))
    return criterion(logits, move)
