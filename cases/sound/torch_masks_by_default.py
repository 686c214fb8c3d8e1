# holds: value(all_if_none, [[1.0, 2.0]], [[0.0, 0.0]])
# holds: value(all_if_empty, [[1.0, 2.0]], [[0.0, 0.0]])
# holds: value(floored, [[[1.0], [2.0]]], [[0.0, 0.0]])
# holds: value(weights_by_default, [[1.0, 2.0]])
# holds: value(always_all, [[1.0, 2.0]], [[0.0, 0.0]])
import torch


def all_if_none(losses, mask=None):
    if mask is None or not mask.any():
        mask = torch.ones_like(losses)
    return (losses * mask).sum() / mask.sum()


def all_if_empty(losses, mask):
    if mask.sum() == 0:
        mask = torch.ones_like(mask)
    return (losses * mask).sum() / mask.sum()


def floored(hidden, mask=None):
    mask = mask if mask is not None else torch.ones(hidden.shape[:2])
    mask = mask.view(*mask.shape, 1)
    return (hidden * mask).sum(dim=1) / mask.sum(dim=1).clamp(min=1)


def weights_by_default(losses, weights=None):
    weights = weights if weights is not None else torch.ones_like(losses)
    return (losses * weights).sum() / weights.sum()


def always_all(losses, mask):
    mask = torch.ones_like(losses)
    return (losses * mask).sum() / mask.sum()
