# holds: gradient(log_of_rates, [0.0, -1.0, 2.0])
# holds: gradient(inverse_of_rates, [0.0, -1.0, 2.0])
# holds: gradient(selected, [0.0, -1.0, 2.0])
# holds: gradient(shares, [0.0, -1.0, 0.0])
# holds: gradient(clipped, [0.0, -1.0, 2.0])
# holds: gradient(spread, [0.0, -1.0, 2.0])
import torch
import torch.nn.functional as F


def log_of_rates(x):
    rates = F.relu(x)
    return torch.where(rates > 0, torch.log(rates), torch.zeros_like(rates)).sum()


def inverse_of_rates(x):
    rates = torch.where(x > 0, x, torch.zeros_like(x))
    return torch.where(rates > 0, 1 / rates, torch.zeros_like(rates)).sum()


def selected(x):
    rates = F.relu(x)
    return torch.log(rates)[rates > 0].sum()


def shares(x):
    rates = F.relu(x)
    return torch.nan_to_num(rates / rates.sum()).square().sum()


def clipped(x):
    return torch.sqrt(F.relu6(x)).sum() + torch.sqrt(F.hardtanh(x, 0.0, 1.0)).sum()


def spread(x):
    return torch.sqrt(torch.where(x <= 0, torch.zeros_like(x), x)).sum()
