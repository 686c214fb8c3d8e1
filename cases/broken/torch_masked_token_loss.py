# breaks: value(token_loss, [[[0.0, 1.0]]], [[0]])
import torch
import torch.nn.functional as F

PAD = 0


def token_loss(logits, targets):
    losses = F.cross_entropy(logits.transpose(1, 2), targets, reduction="none")
    keep = targets.ne(PAD).float()
    return (losses * keep).sum() / keep.sum()  # expect: NAN301
