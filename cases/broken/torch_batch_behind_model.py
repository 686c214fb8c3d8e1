# breaks: first_loss(Classifier(2, 200.0), (torch.ones(1, 2), torch.zeros(1, 1))).detach()
# breaks: second_loss(Classifier(2, -200.0), (torch.ones(1, 2), torch.ones(1, 1))).detach()
import torch
from torch import nn


class Classifier(nn.Module):
    def __init__(self, size, bias):
        super().__init__()
        self.out = nn.Linear(size, 1)
        nn.init.constant_(self.out.bias, bias)

    def forward(self, x):
        return torch.sigmoid(self.out(x))


def loss_of(model, x, y):
    p = model(x)
    return -(y * torch.log(p) + (1 - y) * torch.log(1 - p)).mean()  # expect: NAN108 no-fix


def positives(model, x, y, weight=1.0):
    p = model(x)
    return -weight * (y * torch.log(p)).mean()  # expect: NAN102 no-fix


def first_loss(model, batch):
    return loss_of(model, *batch)


def second_loss(model, batch, **options):
    return positives(model, *batch, **options)


def train(data):
    model = Classifier(2, 0.0)
    optimizer = torch.optim.Adam(model.parameters())
    for batch in data:
        loss = first_loss(model, batch) + second_loss(model, batch)
        optimizer.zero_grad()
        loss.backward()
        optimizer.step()
