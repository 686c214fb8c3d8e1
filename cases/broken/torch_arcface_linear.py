# breaks: value(lambda z: gradient_of(z), [[3.0, 4.0], [5.0, 12.0]])
import torch
import torch.nn as nn
import torch.nn.functional as F


class ArcFace(nn.Module):
    def __init__(self, weight):
        super().__init__()
        self.w = nn.Parameter(weight)

    def forward(self, z, y):
        cos = F.linear(F.normalize(z), F.normalize(self.w))
        sin = torch.sqrt(1.0 - cos**2)  # expect: NAN203 unsafe
        return F.cross_entropy(torch.where(y, cos - sin, cos), torch.tensor([0, 1]))


def gradient_of(z):
    head = ArcFace(z.detach().clone())
    head(z, torch.eye(2).bool()).backward()
    return head.w.grad


def train(encoder, loader):
    head = ArcFace(torch.randn(2, 8))
    optimizer = torch.optim.SGD(encoder.parameters(), lr=0.1)
    for x, y in loader:
        head(encoder(x), y).backward()
        optimizer.step()
