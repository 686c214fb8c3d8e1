# holds: energy(torch.tensor([[0.0, 0.0], [1.0, 0.0], [0.0, 2.0]]))
import torch


def energy(points):
    distance = torch.norm(points[:, None] - points[None], dim=-1)
    cost = (1 / distance).pow(12) - (1 / distance).pow(6)
    return torch.triu(cost, diagonal=1).sum()
