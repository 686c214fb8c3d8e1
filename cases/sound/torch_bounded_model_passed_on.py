# holds: value(lambda x: energy(Net(), x), [[100.0, 100.0]])
# holds: value(lambda x: deviation(Net(), x), [[100.0, 100.0]])
# holds: value(lambda x: odds(Net(), x), [[100.0, 100.0]])
import torch
from torch import nn


class Net(nn.Module):
    def __init__(self):
        super().__init__()
        self.linear = nn.Linear(2, 2)
        nn.init.ones_(self.linear.weight)

    def encode(self, x):
        return torch.tanh(self.linear(x))

    def forward(self, x):
        return self.linear(x), torch.clamp(self.linear(x), -10, 10)


def energy(model, x):
    return torch.exp(model.encode(x)).mean()


def deviation(model, x):
    mean, logarithm = model(x)
    return mean + torch.exp(logarithm)


def odds(model, x):
    p = torch.sigmoid(model.encode(x))
    return p / (1 - p)


def train(loader, optimizer):
    model = Net()
    for epoch in range(10):
        model.train()
        for x in loader:
            loss = energy(model, x) + deviation(model, x).mean() + odds(model, x).mean()
            loss.backward()
            optimizer.step()
