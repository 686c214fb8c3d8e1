# breaks: gradient(lambda p: scrubbed(p), [0.0, 0.5])
import torch


def scrubbed(p):
    h = p * torch.log(p)
    h = torch.where(torch.isnan(h), torch.zeros_like(h), h)  # expect: NAN402 no-fix
    return -h.sum()
