# breaks: value(entropy, [0.0, 2.0, 2.0])
import torch


def entropy(labels):
    total = 0.0
    for label in torch.unique(labels):
        share = (labels[:1] == label).float().mean()
        total = total - share * torch.log2(share)  # expect: NAN202
    return total
