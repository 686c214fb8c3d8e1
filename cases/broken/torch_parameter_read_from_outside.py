# breaks: value(train, [1.0, 2.0])
import torch
from torch import nn


class Encoder(nn.Module):
    def __init__(self):
        super().__init__()
        self.linear = nn.Linear(2, 2)
        self.scale = nn.Parameter(torch.zeros(()))

    def forward(self, x):
        return self.linear(x)


def train(x):
    model = Encoder()
    optimizer = torch.optim.SGD(model.parameters(), lr=0.1)
    error = (model(x) + x) / model.scale  # expect: NAN309 no-fix
    loss = error.square().mean()
    loss.backward(retain_graph=True)
    optimizer.step()
    return loss
