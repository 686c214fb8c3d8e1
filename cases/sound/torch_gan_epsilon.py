# holds: gradient(g_loss, [-200.0]), gradient(d_loss, [200.0])
import torch

EPS = 1e-8


def g_loss(fake_logits):
    return -torch.mean(torch.log(torch.sigmoid(fake_logits) + EPS))


def d_loss(fake_logits):
    d = torch.sigmoid(fake_logits)
    return -torch.mean(torch.log(1 - d + EPS))
