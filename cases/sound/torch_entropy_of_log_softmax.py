# holds: gradient(entropy, [[200.0, 0.0]])
import torch


def entropy(logits):
    logp = torch.log_softmax(logits, dim=-1)
    return -(logp.exp() * logp).sum(-1).mean()
