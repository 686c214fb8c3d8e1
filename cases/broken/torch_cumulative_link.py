# breaks: value(lambda s: ordinal_loss(s, torch.tensor([0])), [[300.0]])
import torch

CUTS = torch.arange(3).float()


def ordinal_loss(score, y):
    below = torch.sigmoid(CUTS - score)
    bounds = torch.cat([torch.zeros_like(score), below, torch.ones_like(score)], dim=1)
    likelihood = (bounds[:, 1:] - bounds[:, :-1]).gather(1, y[:, None])
    return -torch.log(likelihood).mean()  # expect: NAN201 unsafe
