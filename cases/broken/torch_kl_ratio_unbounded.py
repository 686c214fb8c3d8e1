# breaks: value(k3, [[-200.0]], [[0.0]])
import torch


def k3(logp, ref_logp):
    log_ratio = ref_logp - logp
    return (torch.exp(log_ratio) - log_ratio - 1).mean()  # expect: NAN504 no-fix
