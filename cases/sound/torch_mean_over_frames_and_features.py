# holds: value(spectral_loss, [[[1.0, 2.0]]], [[[0.0, 1.0]]], [[0.0]])
# holds: value(loss_of_tokens, [[[1.0, 2.0]]], [[0.0]])
# holds: value(error_in_voiced, [0.0, 100.0], [100.0, 0.0])
# holds: value(tested, [[[1.0, 2.0]]], [[0.0]])
# holds: value(mean_by_attention, [[1.0, 2.0]], [[0.5, -0.5]])
# holds: value(standard_error, [[1.0, 2.0]])
import torch


def spectral_loss(predicted, target, mask):
    error = ((predicted - target) ** 2).sum(dim=-1)
    return (error * mask).sum() / (mask.sum().clamp(min=1) * target.size(-1))


def loss_of_tokens(logits, mask):
    error = (logits**2).sum(dim=-1) * mask
    return error.sum() / (mask.sum() * logits.size(-1) + 1e-8)


def error_in_voiced(predicted, target):
    voiced = (predicted != 0) & (target != 0)
    distance = torch.linalg.vector_norm((predicted - target) * voiced)
    return distance / torch.sqrt(voiced.sum().clamp(min=1).to(distance.dtype))


def tested(x, mask):
    count = mask.sum() * x.size(-1)
    if count == 0:
        return x.sum() * 0.0
    return (x.sum(dim=-1) * mask).sum() / count


def mean_by_attention(x, scores):
    weights = torch.softmax(scores, dim=-1)
    return (x * weights).sum() / (weights.sum() * x.size(-1))


def standard_error(x):
    n = torch.ones_like(x).sum(dim=-1)
    return x.std(dim=-1) / torch.sqrt(n)
