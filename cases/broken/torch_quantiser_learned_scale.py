# breaks: value(LearnedStep().forward, [0.0, 1.0]), gradient(lambda s: LearnedStep().quantise(torch.zeros(1), s), [-200.0])
import torch
import torch.nn as nn


class LearnedStep(nn.Module):
    """Fake quantisation with a learned positive step."""

    def __init__(self):
        super().__init__()
        self.log_step = nn.Parameter(torch.tensor(-120.0))

    def quantise(self, x, log_step):
        step = torch.exp(log_step)  # expect: NAN212 no-fix
        q = torch.round(x / step)
        return q * step

    def forward(self, x):
        return self.quantise(x, self.log_step)
