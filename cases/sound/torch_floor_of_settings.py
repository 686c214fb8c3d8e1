"""Fields with the default 0.0 that are given wherever objects are made, tested first, or set later."""

# holds: value(lambda r: annotated(r, Settings(floor=1e-6)), [[1.0, 1.0]])
# holds: value(lambda r: tested(r, Options()), [[1.0, 1.0]])
# holds: value(Tested(), [[1.0, 1.0]])
# holds: value(lambda r: replaced(r, None), [[1.0, 1.0]])
# holds: value(lambda r: scaled(r, Scale(width=2.0)), [[1.0, 1.0]])
# holds: value(lambda r: averaged(r, Running()), [[1.0, 1.0]])
from dataclasses import dataclass

import torch


@dataclass
class Settings:
    floor: float = 0.0


@dataclass
class Options:
    floor: float = 0.0
    share: float = 0.5


@dataclass
class Floored:
    floor: float = 1e-6


def annotated(r, settings: Settings):
    centred = r - r.mean(1, keepdim=True)
    return centred / (r.std(1, keepdim=True) + settings.floor)


def train(loader):
    settings = Settings(floor=1e-6)
    for r in loader:
        annotated(r, settings)


def tested(r, options: Options):
    if options.floor > 0:
        return r / (r.std(1, keepdim=True) + options.floor)
    return r / options.share


class Tested(torch.nn.Module):
    def __init__(self, floor=0.0):
        super().__init__()
        self.floor = floor

    def forward(self, x):
        if self.floor > 0:
            return x / torch.sqrt(x.var(-1, keepdim=True) + self.floor)
        return x


def replaced(r, settings: Options):
    settings = settings or Floored()
    return r / (r.std(1, keepdim=True) + settings.floor)


@dataclass
class Scale:
    width: float = 0.0


def scaled(r, scale: Scale):
    return r / scale.width


@dataclass
class Running:
    total: float = 0.0
    count: float = 0.0


def averaged(r, running: Running):
    count(r, running)
    return r * (running.total / (running.count + running.total))


def count(r, running: Running):
    running.total += float(r.sum())
    running.count += len(r)
