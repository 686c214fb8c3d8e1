# holds: gradient(k3, [[-200.0]], [[0.0]])
import torch


def k3(logp, ref_logp):
    log_ratio = torch.clamp(ref_logp - logp, -20, 20)
    return (torch.exp(log_ratio) - log_ratio - 1).mean()
