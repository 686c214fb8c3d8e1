# holds: value(k3, [[-2.0]], [[0.0]])
import torch


@torch.no_grad()
def k3(logp, ref_logp):
    log_ratio = ref_logp - logp
    return ((log_ratio.exp() - 1) - log_ratio).mean()
