# breaks: value(slopes, [0.0, 1.0], [0.0, 1.0])
# breaks: value(logs, [-1.0, 1.0])
import torch


def slopes(x, y):
    x = torch.relu(x)
    slope = y / x  # expect: NAN309 no-fix
    right = x > 0
    return torch.cat([slope[right], 1 + slope[~right]])  # expect: NAN401 no-fix; NAN401 no-fix


def logs(x):
    rates = torch.relu(x)
    found = torch.log(rates)  # expect: NAN201 unsafe
    return found[rates > 0].sum(), found
