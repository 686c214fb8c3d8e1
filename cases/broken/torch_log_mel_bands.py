# breaks: value(lambda s: LogMel()(torch.complex(s, s)), [[[0.0, 0.0], [0.0, 0.0]]])
import torch
from torch import nn


class LogMel(nn.Module):
    def __init__(self, n_bins=2, n_mels=2):
        super().__init__()
        self.register_buffer("bank", torch.rand(n_mels, n_bins))

    def forward(self, spectrum):
        power = spectrum.abs().pow(2)
        return torch.log10(torch.matmul(self.bank, power))  # expect: NAN201 unsafe
