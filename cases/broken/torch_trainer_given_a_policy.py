# breaks: gradient(lambda z: Learner(lambda x: torch.softmax(x * z, -1)).loss(torch.ones(2), torch.tensor(0)), [0.0, 300.0])
# An object is made with a model that ends in a softmax, and nothing visible calls its methods.
import torch
from torch import nn


class Policy(nn.Module):
    def __init__(self):
        super().__init__()
        self.layer = nn.Linear(4, 2)

    def forward(self, x):
        return torch.softmax(self.layer(x), -1)


class Learner:
    def __init__(self, policy):
        self.policy = policy

    def loss(self, observation, action):
        return -torch.log(self.policy(observation).gather(-1, action))  # expect: NAN101 no-fix

    def learn(self, batch, optimizer):
        self.loss(*batch).mean().backward()
        optimizer.step()


def build():
    return Learner(Policy())
