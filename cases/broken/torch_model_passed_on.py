# breaks: value(lambda x: energy(Net(), x), [[100.0, 100.0]])
# breaks: value(lambda x: deviation(Net(), x), [[100.0, 100.0]])
# breaks: value(lambda x: odds(Net(), x), [[100.0, 100.0]])
import torch
from torch import nn


class Net(nn.Module):
    def __init__(self):
        super().__init__()
        self.linear = nn.Linear(2, 2)
        nn.init.ones_(self.linear.weight)

    def encode(self, x):
        return self.linear(x)

    def forward(self, x):
        return self.linear(x), self.linear(x)


def energy(model, x):
    return torch.exp(model.encode(x)).mean()  # expect: NAN504 no-fix


def deviation(model, x):
    mean, logarithm = model(x)
    return mean + torch.exp(logarithm)  # expect: NAN504 no-fix


def odds(model, x):
    p = torch.sigmoid(model.encode(x))
    return p / (1 - p)  # expect: NAN309 no-fix


def train(loader, optimizer):
    model = Net()
    for epoch in range(10):
        model.train()
        for x in loader:
            loss = energy(model, x) + deviation(model, x).mean() + odds(model, x).mean()
            loss.backward()
            optimizer.step()
