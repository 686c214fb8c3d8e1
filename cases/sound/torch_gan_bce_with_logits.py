# holds: gradient(d_loss, [-200.0], [200.0])
import torch
import torch.nn as nn

bce = nn.BCEWithLogitsLoss()


def d_loss(real_logits, fake_logits):
    real = bce(real_logits, torch.ones_like(real_logits))
    fake = bce(fake_logits, torch.zeros_like(fake_logits))
    return real + fake
