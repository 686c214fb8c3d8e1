# breaks: value(loss, [[-200.0]], [[0.0]], [[1.0]])
import torch


def loss(logp, ref_logp, mask):
    delta = ref_logp - logp
    kl = delta.exp() - 1 - delta  # expect: NAN504 no-fix
    return (kl * mask).sum() / mask.sum().clamp(min=1)
