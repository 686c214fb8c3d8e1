"""An epsilon that is a field of settings, whose default is 0.0: nothing is added unless it is set."""

# breaks: value(lambda r: step(torch.ones(4), r), [1.0, 1.0, 1.0, 1.0])
# breaks: value(lambda r: annotated(r, Settings()), [[1.0, 1.0]])
# breaks: gradient(Norm(), [[1.0, 1.0]])
# breaks: gradient(NormByDefault(), [[1.0, 1.0]])
from dataclasses import dataclass

import torch


@dataclass
class Settings:
    group: int = 4
    floor: float = 0.0


def advantages(r, settings):
    g = r.view(-1, settings.group)
    return (g - g.mean(1, keepdim=True)) / (g.std(1, keepdim=True) + settings.floor)  # expect: NAN304 no-fix


def step(log_probs, reward, settings=None):
    settings = settings or Settings()
    return -(log_probs * advantages(reward, settings).flatten()).mean()


def train(policy, loader):
    for ids, reward in loader:
        step(policy(ids), reward, Settings()).backward()


def annotated(r, settings: Settings):
    centred = r - r.mean(1, keepdim=True)
    return centred / (r.std(1, keepdim=True) + settings.floor)  # expect: NAN304 no-fix


class Norm(torch.nn.Module):
    def __init__(self, settings=Settings()):
        super().__init__()
        self.settings = settings

    def forward(self, x):
        variance = x.var(-1, keepdim=True)
        return x / torch.sqrt(variance + self.settings.floor)  # expect: NAN304 no-fix; NAN203 no-fix


class NormByDefault(torch.nn.Module):
    def __init__(self, settings=None):
        super().__init__()
        self.settings = settings or Settings()

    def forward(self, x):
        variance = x.var(-1, keepdim=True)
        return x / torch.sqrt(variance + self.settings.floor)  # expect: NAN304 no-fix; NAN203 no-fix
