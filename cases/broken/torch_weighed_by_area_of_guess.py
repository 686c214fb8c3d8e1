# breaks: gradient(lambda z: loss(z, torch.zeros(2, 2)), [[0.0, 1.0], [0.0, 2.0]])
import torch
import torch.nn.functional as F


def loss(logits, truth):
    guess = torch.square(logits)
    with torch.no_grad():
        truth = truth.clamp(min=0)
    each = F.binary_cross_entropy_with_logits(logits, truth, reduction="none")
    area = torch.sum(guess, dim=0)
    return (each / (torch.sqrt(area) + 1e-4)).mean()  # expect: NAN405
