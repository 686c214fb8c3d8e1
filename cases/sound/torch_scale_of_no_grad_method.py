# holds: gradient(lambda w: Layer(w).forward(torch.zeros(2, 2)).sum(), [[1.0, 2.0]])
# holds: gradient(lambda w: weighted(w, torch.zeros(1, 2)), [[1.0, 2.0]])
import torch
from torch import nn


class Layer(nn.Module):
    def __init__(self, weight):
        super().__init__()
        self.weight = weight

    @torch.no_grad()
    def scales(self, x):
        energy = (x * x).sum(-1, keepdim=True)
        return energy, energy.amax()

    @torch.inference_mode(mode=True)
    def named(self, x):
        return {"energy": (x * x).sum(-1, keepdim=True)}

    def largest(self, x):
        with torch.no_grad():
            return (x * x).amax(-1, keepdim=True)

    def forward(self, x):
        energy, _ = self.scales(self.weight * x)
        named = self.named(x)["energy"].clone()
        scale = torch.sqrt(energy) + torch.sqrt(self.largest(self.weight * x))
        return self.weight * (scale + torch.sqrt(named))


@torch.no_grad()
def energy_of(x):
    return (x * x).sum(-1, keepdim=True)


def weighted(w, x):
    loss = (w * torch.sqrt(energy_of(w * x))).mean()
    return loss


def train(w, x, optimizer):
    loss = weighted(w, x)
    optimizer.zero_grad()
    loss.backward()
    optimizer.step()
