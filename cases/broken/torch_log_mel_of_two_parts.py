# breaks: value(LogMel(), [[0.0, 0.0, 0.0, 0.0]])
import torch
from torch import nn


class LogMel(nn.Module):
    def __init__(self, n_fft=4, n_mels=2):
        super().__init__()
        self.n_fft = n_fft
        self.register_buffer("bank", torch.rand(n_mels, n_fft // 2 + 1))

    def forward(self, wave):
        spectrum = torch.stft(wave, self.n_fft, return_complex=True, window=torch.ones(self.n_fft))
        power = spectrum.real**2 + spectrum.imag**2
        return 10 * torch.log10(self.bank @ power)  # expect: NAN201 unsafe
