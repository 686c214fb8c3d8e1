# breaks: gradient(loss, [[0.0, 200.0], [1.0, 0.0]])
import torch
from torch import nn


class GeneralizedCrossEntropy(nn.Module):
    def __init__(self, q):
        super().__init__()
        if not 0 < q < 1:
            raise ValueError("q must lie between 0 and 1")
        self.q = q

    def forward(self, logits, labels):
        chosen = torch.softmax(logits, dim=-1).gather(1, labels[:, None])
        return ((1 - chosen**self.q) / self.q).mean()  # expect: NAN206 unsafe


def loss(logits):
    return GeneralizedCrossEntropy(0.7)(logits, torch.tensor([0, 1]))
