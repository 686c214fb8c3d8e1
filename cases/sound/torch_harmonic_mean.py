# holds: value(evaluated, [0.0, 1.0, 2.0])
# holds: gradient(of_rectified, [0.0, 1.0, 2.0])
import torch


@torch.no_grad()
def evaluated(rates):
    rates = rates.clamp(min=0)
    return len(rates) / (1 / rates).sum()


def of_rectified(rates):
    return 1 / (1 / torch.relu(rates)).sum()
