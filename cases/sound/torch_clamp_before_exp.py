# holds: gradient(kl_estimate, [-300.0], [0.0])
import torch


def kl_estimate(ref_logp, logp):
    diff = torch.clamp(ref_logp - logp, min=-20, max=20)
    return torch.clamp(torch.exp(diff) - diff - 1, max=10)
