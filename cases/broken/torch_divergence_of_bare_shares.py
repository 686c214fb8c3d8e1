"""A policy that keeps its shares as they come, and measures how far they have moved."""

import torch
from torch import nn
from torch.distributions import Categorical


class Policy(nn.Module):
    def __init__(self):
        super().__init__()
        self.shares = None

    def sample(self, shares):
        self.shares = shares
        return Categorical(probs=shares).sample()

    def divergence(self, *given):
        self.forward(*given)
        new = self.shares
        old = new.detach()
        return (old * torch.log(old / new)).sum(1, keepdim=True)  # expect: NAN202 no-fix

    def change(self, *given):
        old = self.shares
        self.forward(*given)
        new = self.shares
        return (old * (torch.log(old) - torch.log(new))).sum(1).mean()  # expect: NAN202
