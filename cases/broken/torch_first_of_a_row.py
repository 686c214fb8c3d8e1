"""The 1 that is put before a row of products is there: 1 minus it is 0."""

# breaks: value(variances, [0.1, 0.2])
# breaks: value(hazards, [0.1, 0.2])
import torch


def variances(betas):
    left = torch.cumprod(1 - betas, 0)
    before = torch.cat([torch.ones(1), left[:-1]])
    return torch.log(betas * (1 - before) / (1 - left))  # expect: NAN201 unsafe


def hazards(rates):
    survival = torch.cat([torch.ones_like(rates[:1]), torch.exp(-rates.cumsum(0))])
    return torch.log(1 - survival)  # expect: NAN201 unsafe
