# holds: value(lambda x: by_key_step(x, torch.ones(1, 1)), [[-1000.0, -1000.0]])
# holds: value(lambda x: by_settings_step(x, torch.ones(1, 1)), [[-1000.0, -1000.0]])
# holds: value(lambda x: replaced_step(x, torch.ones(1, 1)), [[-1000.0, -1000.0]])
from dataclasses import dataclass

import torch
import torch.nn.functional as F
from torch import nn


def floored(x):
    return F.softplus(x) + 1e-3


class Floored(nn.Module):
    def forward(self, x):
        return floored(x)


ACTIVATIONS = {"relu": nn.ReLU, "softplus": nn.Softplus, "floored": Floored}


@dataclass
class Settings:
    features: int = 2
    activation: str = "sigmoid"
    floor: float = 1e-3


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
        self.floor = settings.floor

    def forward(self, x):
        return self.activation(self.layer(x)) + self.floor


by_key = ByKey("floored")
by_settings = BySettings(Settings())
replaced = ByKey()
replaced.activation = Floored()
for net in (by_key, by_settings, replaced):
    nn.init.ones_(net.layer.weight)


def by_key_step(x, y):
    rate = by_key(x)
    return (rate - y * torch.log(rate)).mean()


def by_settings_step(x, y):
    rate = by_settings(x)
    return (rate - y * torch.log(rate)).mean()


def replaced_step(x, y):
    rate = replaced(x)
    return (rate - y * torch.log(rate)).mean()
