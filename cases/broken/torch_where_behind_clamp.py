# breaks: gradient(log_of_rates, [0.0, -1.0, 2.0])
# breaks: gradient(inverse_of_rates, [0.0, -1.0, 2.0])
# breaks: gradient(weighted, [0.0, -1.0, 2.0], [1.0, 1.0, 1.0])
# breaks: gradient(scaled, [0.0, -1.0, 2.0], [1.0, 1.0, 1.0])
# breaks: gradient(shares, [0.0, -1.0, 0.0])
# breaks: gradient(spread, [0.0, -1.0, 2.0])
import torch
import torch.nn.functional as F


def log_of_rates(x):
    rates = x.clamp(min=0)
    return torch.where(rates > 0, torch.log(rates), torch.zeros_like(rates)).sum()  # expect: NAN401


def inverse_of_rates(x):
    rates = torch.where(x >= 0, x, torch.zeros_like(x))
    return torch.where(rates > 0, 1 / rates, torch.zeros_like(rates)).sum()  # expect: NAN401


def weighted(x, w):
    rates = F.relu(x)
    return torch.where(rates > 0, w * torch.log(rates), torch.zeros_like(rates)).sum()  # expect: NAN401


def scaled(x, w):
    rates = F.relu(x)
    return torch.where(rates > 0, w / rates, torch.zeros_like(rates)).sum()  # expect: NAN401


def shares(x):
    rates = x.clamp(min=0)
    return torch.nan_to_num(rates / rates.sum()).square().sum()  # expect: NAN402 no-fix


def spread(x):
    return torch.sqrt(torch.where(x < 0, torch.zeros_like(x), x)).sum()  # expect: NAN203 unsafe
