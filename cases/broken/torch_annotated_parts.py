from dataclasses import dataclass

import torch
from torch import nn


class Policy(nn.Module):
    def __init__(self, actions):
        super().__init__()
        self.head = nn.Linear(8, actions)

    def forward(self, x):
        return torch.softmax(self.head(x), dim=-1)


@dataclass
class Agent:
    policy: Policy

    def loss(self, x):
        return -torch.log(self.policy(x)).mean()  # expect: NAN101 no-fix


class Trainer:
    def __init__(self, policy: Policy, registry):
        self.policy = policy
        self.other: Policy = registry["policy"]

    def loss(self, x):
        return -torch.log(self.policy(x)).mean()  # expect: NAN101 no-fix

    def other_loss(self, x):
        return -torch.log(self.other(x)).mean()  # expect: NAN101 no-fix


def find(settings) -> Policy:
    return settings.find("policy")


def loss(settings, x):
    policy = find(settings)
    return -torch.log(policy(x)).mean()  # expect: NAN101 no-fix


def loss_of_registered(registry, x):
    policy: Policy = registry["policy"]
    return -torch.log(policy(x)).mean()  # expect: NAN101 no-fix
