# holds: gradient(lambda z: focal(z, torch.ones(1, 2), {"gamma": 1.5}), [[200.0, 0.0]])
import torch


def focal(logits, labels, options):
    p = torch.sigmoid(logits)
    right = torch.where(labels == 1, p, 1 - p)
    return ((1 - right) ** options["gamma"]).mean()


def step(model, x, labels):
    focal(model(x), labels, {"gamma": 1.5}).backward()
