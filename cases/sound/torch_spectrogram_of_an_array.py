# holds: value(lambda frames: step(frames.detach().numpy()), [[0.0, 0.0], [1.0, 2.0]])
# holds: value(lambda waves: step_of_spectrum(waves.detach().numpy()), [0.0, 0.0, 0.0, 0.0, 0.0])
import torch
from torch import nn


def learn(model, sizes):
    loss = (model(torch.ones(len(sizes), 3))[:, 0] - sizes).pow(2).sum()
    loss.backward()


def step(frames):
    model = nn.Linear(3, 1)
    sizes = torch.from_numpy(frames).pow(2).sum(1).sqrt()
    learn(model, sizes)
    return model.weight.grad


def step_of_spectrum(waves):
    model = nn.Linear(3, 1)
    wave = torch.from_numpy(waves)
    parts = torch.view_as_real(torch.stft(wave, 4, window=torch.ones(4), return_complex=True))
    sizes = torch.sqrt(parts.pow(2).sum(2)).flatten()
    learn(model, sizes)
    return model.weight.grad
