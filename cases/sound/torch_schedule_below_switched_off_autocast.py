# holds: gradient(lambda x: Diffusion(Scaled()).forward(x), [[0.5, -1.0], [2.0, 0.0]])
import math

import torch
import torch.nn.functional as F
from torch import nn, sqrt
from torch.amp import autocast


class Scaled(nn.Module):
    def forward(self, x, log_snr):
        return x * torch.sigmoid(log_snr)[:, None]


def cosine_schedule(t, low=-15, high=15):
    t_min = math.atan(math.exp(-0.5 * high))
    t_max = math.atan(math.exp(-0.5 * low))
    return -2 * torch.log(torch.tan(t_min + t * (t_max - t_min)).clamp(min=1e-20))


class Diffusion(nn.Module):
    def __init__(self, model, gamma=5):
        super().__init__()
        self.model = model
        self.gamma = gamma
        self.log_snr = cosine_schedule

    @autocast("cuda", enabled=False)
    def noised(self, x, times, noise):
        log_snr = self.log_snr(times)
        p = log_snr[:, None]
        return x * sqrt(p.sigmoid()) + noise * sqrt((-p).sigmoid()), log_snr

    def forward(self, x):
        times = torch.zeros((x.shape[0],)).float().uniform_(0, 1)
        noise = torch.randn_like(x)
        noised, log_snr = self.noised(x, times, noise)
        loss = F.mse_loss(self.model(noised, log_snr), noise, reduction="none").mean(1)
        snr = log_snr.exp()
        weight = snr.clamp(max=self.gamma) / snr
        return (loss * weight).mean()
