# breaks: gradient(lambda h: reconstruction(h, torch.tensor([0.0, 1.0])), [200.0, -200.0])
import torch


def reconstruction(decoded, x):
    x_hat = torch.sigmoid(decoded)
    bce = x * torch.log(x_hat) + (1 - x) * torch.log(1 - x_hat)
    return -bce.sum(-1)  # expect: NAN108
