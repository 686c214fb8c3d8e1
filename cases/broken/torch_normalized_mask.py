"""A mask is divided by its mean, which is 0 where it selects nothing, and multiplies a loss."""

# breaks: value(lambda x: masked_loss(x, torch.tensor([0]), torch.tensor([False])), [[1.0, 2.0]])
import torch
import torch.nn.functional as F


def masked_loss(out, label, mask):
    loss = F.cross_entropy(out, label, reduction="none")
    mask = mask.float()
    mask = mask / mask.mean()  # expect: NAN301 no-fix
    loss = loss * mask
    return loss.mean()
