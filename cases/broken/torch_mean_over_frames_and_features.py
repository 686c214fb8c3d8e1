# breaks: value(spectral_loss, [[[1.0, 2.0]]], [[[0.0, 1.0]]], [[0.0]])
# breaks: value(lambda x: loss_of_tokens(x, torch.tensor([[-100]])), [[[1.0, 2.0]]])
# breaks: value(error_in_voiced, [0.0, 100.0], [100.0, 0.0])
# breaks: value(share, [[[1.0, 2.0]]], [[0.0]])
import torch


def spectral_loss(predicted, target, mask):
    error = ((predicted - target) ** 2).sum(dim=-1)
    return (error * mask).sum() / (mask.sum() * target.size(-1))  # expect: NAN301 unsafe


def loss_of_tokens(logits, labels):
    mask = labels != -100
    error = (logits**2).sum(dim=-1) * mask
    return error.sum() / (logits.shape[-1] * mask.sum())  # expect: NAN301


def error_in_voiced(predicted, target):
    voiced = (predicted != 0) & (target != 0)
    distance = torch.linalg.vector_norm((predicted - target) * voiced)
    return distance / torch.sqrt(voiced.sum().to(distance.dtype))  # expect: NAN301 no-fix


def share(x, mask):
    total = (x.mean(dim=-1) * mask).mean(dim=-1)
    return total / (mask.sum(dim=-1) / mask.shape[-1])  # expect: NAN301 no-fix
