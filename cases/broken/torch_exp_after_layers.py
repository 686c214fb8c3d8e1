# breaks: value(lambda x: large(Rates([2, 2, 2]))(x * torch.ones(2)), 1e3)
# breaks: value(lambda x: large(Intensities([2, 2, 2]))(x * torch.ones(2)), 1e3)
# holds: value(lambda x: large(Bounded([2, 2, 2]))(x * torch.ones(2)), 1e3)
# A loop calls the layers of a list; what comes out of the last one is bounded by nothing but its weights.
import torch
import torch.nn as nn


def large(model):
    for parameter in model.parameters():
        nn.init.constant_(parameter, 1.0)
    return model


class Rates(nn.Module):
    def __init__(self, sizes):
        super().__init__()
        self.layers = nn.ModuleList([nn.Linear(a, b) for a, b in zip(sizes, sizes[1:])])

    def forward(self, x):
        for layer in self.layers[:-1]:
            x = torch.relu(layer(x))
        return torch.exp(self.layers[-1](x))  # expect: NAN504 no-fix


class Intensities(nn.Module):
    def __init__(self, sizes):
        super().__init__()
        self.layers = nn.ModuleList()
        for a, b in zip(sizes, sizes[1:]):
            self.layers.append(nn.Linear(a, b))

    def forward(self, x):
        for i, layer in enumerate(self.layers):
            x = layer(x)
            if i < len(self.layers) - 1:
                x = torch.relu(x)
        return torch.exp(x)  # expect: NAN504 no-fix


class Bounded(nn.Module):
    def __init__(self, sizes):
        super().__init__()
        self.layers = nn.ModuleList([nn.Linear(a, b) for a, b in zip(sizes, sizes[1:])])

    def forward(self, x):
        for layer in self.layers:
            x = torch.tanh(layer(x))
        return torch.exp(x)
