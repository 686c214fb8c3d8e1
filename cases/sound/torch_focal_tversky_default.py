# holds: gradient(focal_tversky, [[40.0, -40.0]], [[1.0, 0.0]])
import torch

ALPHA = 0.3
POWER = 4 / 3


def tversky(logits, target):
    prob = logits.softmax(1)
    hit = (prob * target).sum()
    return (hit + 1.0) / (hit + ALPHA * (prob * (1 - target)).sum() + 1.0)


def focal_tversky(logits, target, gamma=3 / 4):
    rest = (1 - tversky(logits, target)).clamp(min=0)
    return rest.pow(1 / gamma).mean()


def by_name(logits, target, power=POWER):
    return torch.clamp(1 - tversky(logits, target), min=0).pow(power)
