# breaks: value(log_partition, [[100.0, 100.0], [100.0, 100.0]], [[0.0, 0.0], [0.0, 0.0]])
import torch


def log_partition(emissions, transitions):
    alpha = emissions[0]
    for emission in emissions[1:]:
        scores = alpha.unsqueeze(1) + transitions + emission.unsqueeze(0)
        alpha = torch.log(torch.sum(torch.exp(scores), dim=0))  # expect: NAN104
    return torch.log(torch.exp(alpha).sum())  # expect: NAN104
