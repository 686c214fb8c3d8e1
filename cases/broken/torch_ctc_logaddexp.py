# breaks: gradient(forward, [[0.0, 0.0, 0.0, 0.0], [0.0, 0.0, 0.0, 0.0], [0.0, 0.0, 0.0, 0.0], [0.0, 0.0, 0.0, 0.0]])
import torch


def forward(log_probs):
    alpha = torch.full_like(log_probs[0], -torch.inf)
    alpha[0] = 0.0
    for frame in log_probs:
        shifted = torch.cat([torch.tensor([-torch.inf]), alpha[:-1]])
        alpha = torch.logaddexp(alpha, shifted) + frame  # expect: NAN406 no-fix
    return alpha[-1]
