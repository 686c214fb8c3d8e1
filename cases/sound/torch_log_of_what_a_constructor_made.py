# holds: value(lambda z: Policy(z).log_prob(torch.tensor([[1]])), [[200.0, 0.0]])
import torch
from torch import nn


class Policy(nn.Module):
    def __init__(self, logits):
        super().__init__()
        self.probabilities = torch.softmax(logits, dim=-1).clamp_min(1e-6)

    def log_prob(self, action):
        chosen = self.probabilities.gather(-1, action)
        return torch.log(chosen)
