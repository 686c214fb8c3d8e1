# breaks: value(mdn_loss, [[0.0, 0.0]], [[0.0, 1.0]], [[1.0, 1.0]], [[300.0]])
import math

import torch


def mdn_loss(pi_logits, mu, sigma, y):
    pi = torch.softmax(pi_logits, dim=1)
    norm = 1.0 / (sigma * math.sqrt(2 * math.pi))
    density = norm * torch.exp(-0.5 * ((y - mu) / sigma) ** 2)
    return -torch.log(torch.sum(pi * density, dim=1)).mean()  # expect: NAN201 unsafe
