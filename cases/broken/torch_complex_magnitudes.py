import torch


def spectral_loss(x, y):
    difference = torch.fft.fft(x) - torch.fft.fft(y)
    return torch.sqrt((difference**2).sum(-1)).abs().mean()  # expect: NAN203 no-fix


def train(x, y):
    spectral_loss(x, y).backward()
