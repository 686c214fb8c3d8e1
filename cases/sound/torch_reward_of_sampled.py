# holds: gradient(lambda s: cost(torch.ones(1), s, torch.tensor([[1]])), [[0.0, 0.5]])
import torch


def cost(target, scores, index):
    p = torch.exp(scores)
    return -(target * torch.log(p.gather(1, index).squeeze(1))).sum()
