# breaks: gradient(lambda z: focal(z, torch.ones(1, 2), {"gamma": 0.7}), [[200.0, 0.0]])
import torch


def focal(logits, labels, options):
    p = torch.sigmoid(logits)
    right = torch.where(labels == 1, p, 1 - p)
    return ((1 - right) ** options["gamma"]).mean()  # expect: NAN206 unsafe


def step(model, x, labels):
    focal(model(x), labels, {"gamma": 0.7}).backward()
