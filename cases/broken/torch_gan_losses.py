# breaks: value(d_loss, [-200.0], [200.0]), value(g_loss, [-200.0])
import torch


def d_loss(real_logits, fake_logits):
    d_real = torch.sigmoid(real_logits)
    d_fake = torch.sigmoid(fake_logits)
    real = torch.log(d_real)  # expect: NAN102
    fake = torch.log(1 - d_fake)  # expect: NAN102
    return -(real + fake).mean()


def g_loss(fake_logits):
    return -torch.sigmoid(fake_logits).log().mean()  # expect: NAN102
