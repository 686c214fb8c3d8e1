# holds: gradient(forward, [[0.5, 0.2], [0.1, 0.4]])
import torch

LOG_ZERO = -1e9


def forward(log_probs):
    alpha = torch.full_like(log_probs[0], LOG_ZERO)
    alpha[0] = 0.0
    for frame in log_probs:
        shifted = torch.cat([torch.tensor([LOG_ZERO]), alpha[:-1]])
        alpha = torch.logaddexp(alpha, shifted) + frame
    return alpha[-1]
