# breaks: value(lambda x: nll(by_attribute, x, torch.ones(1, 1)), [[-1000.0, -1000.0]])
# breaks: value(lambda x: nll(by_key, x, torch.ones(1, 1)), [[-1000.0, -1000.0]])
# breaks: value(lambda x: nll(by_settings, x, torch.ones(1, 1)), [[-1000.0, -1000.0]])
from dataclasses import dataclass

import torch
import torch.nn.functional as F
from torch import nn

ACTIVATIONS = {"relu": nn.ReLU, "softplus": nn.Softplus, "identity": nn.Identity}


@dataclass
class Settings:
    features: int = 2
    activation: str = "softplus"


class ByAttribute(nn.Module):
    def __init__(self, activation="relu"):
        super().__init__()
        self.layer = nn.Linear(2, 1)
        self.activation = getattr(F, activation)

    def forward(self, x):
        return self.activation(self.layer(x))


class ByKey(nn.Module):
    def __init__(self, activation="softplus"):
        super().__init__()
        self.layer = nn.Linear(2, 1)
        self.activation = ACTIVATIONS[activation]()

    def forward(self, x):
        return self.activation(self.layer(x))


class BySettings(nn.Module):
    def __init__(self, settings):
        super().__init__()
        self.layer = nn.Linear(settings.features, 1)
        self.activation = getattr(F, settings.activation)

    def forward(self, x):
        return self.activation(self.layer(x))


by_attribute = ByAttribute()
by_key = ByKey("softplus")
by_settings = BySettings(Settings())
for net in (by_attribute, by_key, by_settings):
    nn.init.ones_(net.layer.weight)


def nll(net, x, y):
    rate = net(x)
    return (rate - y * torch.log(rate)).mean()


def by_attribute_step(x, y):
    rate = by_attribute(x)
    return (rate - y * torch.log(rate)).mean()  # expect: NAN202 unsafe


def by_key_step(x, y):
    rate = by_key(x)
    return (rate - y * torch.log(rate)).mean()  # expect: NAN202 unsafe


def by_settings_step(x, y):
    rate = by_settings(x)
    return (rate - y * torch.log(rate)).mean()  # expect: NAN202 unsafe
