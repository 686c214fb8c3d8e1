# breaks: value(lambda a: Policy().log_prob(torch.ones(1, 3), a), [[1.0]])
import torch
from torch import nn


class Policy(nn.Module):
    def __init__(self):
        super().__init__()
        self.mean = nn.Linear(3, 1)

    def forward(self, observation):
        u = self.mean(observation) + torch.randn(len(observation), 1)
        return torch.tanh(u), -0.5 * u**2

    def log_prob(self, observation, action):
        above = torch.log1p(action)  # expect: NAN201 no-fix
        below = torch.log1p(-action)  # expect: NAN201 no-fix
        return -0.5 * (0.5 * (above - below) - self.mean(observation)) ** 2
