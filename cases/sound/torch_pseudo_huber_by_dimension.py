# holds: gradient(pseudo_huber, [[1.0, 2.0]], [[1.0, 2.0]])
# holds: gradient(PseudoHuber(), [[1.0, 2.0]], [[1.0, 2.0]])
import torch
import torch.nn.functional as F
from torch import nn


class PseudoHuber(nn.Module):
    def __init__(self, data_dim=3):
        super().__init__()
        self.data_dim = data_dim

    def forward(self, pred, target):
        c = 0.00054 * self.data_dim
        return (F.mse_loss(pred, target) + c * c).sqrt() - c


def pseudo_huber(pred, target, delta=0.03):
    return torch.sqrt((pred - target) ** 2 + delta**2).mean()


def train(model, batches):
    optimizer = torch.optim.Adam(model.parameters())
    loss_of = PseudoHuber()
    for x, y in batches:
        loss = loss_of(model(x), y) + pseudo_huber(model(x), y)
        optimizer.zero_grad()
        loss.backward()
        optimizer.step()
