# breaks: value(given_or_all, [[1.0, 2.0]], [[0.0, 0.0]])
# breaks: value(filled_in, [[1.0, 2.0]], [[0.0, 0.0]])
# breaks: value(of_a_dtype, [[1.0, 2.0]], [[0.0, 0.0]])
# breaks: value(in_a_shape, [[[1.0], [2.0]]], [[0.0, 0.0]])
# breaks: value(spread, [[1.0, 2.0]], [[0.0], [0.0]])
# breaks: value(selecting, [[1.0, 2.0]], [[0, 0]])
# breaks: value(lambda x, m: of_a_batch({"x": x, "loss_mask": m}), [[1.0, 2.0]], [[0.0, 0.0]])
import torch


def given_or_all(losses, mask=None):
    mask = mask if mask is not None else torch.ones_like(losses)
    return (losses * mask).sum() / mask.sum()  # expect: NAN301 unsafe


def filled_in(losses, mask=None):
    if mask is None:
        mask = torch.ones(losses.shape)
    return (losses * mask).sum(dim=-1) / mask.sum(dim=-1)  # expect: NAN301 unsafe


def of_a_dtype(losses, mask):
    if mask.dtype != losses.dtype:
        mask = mask.to(losses.dtype)
    return (losses * mask).sum() / mask.sum()  # expect: NAN301 unsafe


def in_a_shape(hidden, mask):
    mask = mask.view(*mask.shape, 1)
    return (hidden * mask).sum(dim=1) / mask.sum(dim=1)  # expect: NAN301 unsafe


def spread(losses, mask):
    mask = mask.expand(*losses.shape) if losses.dim() > 5 else mask.expand(2, *losses.shape[1:])
    return (losses * mask).sum() / mask.sum()  # expect: NAN301 unsafe


def selecting(losses, kept):
    losses = losses.masked_fill(kept == 0, 0.0)
    return losses.sum() / kept.sum()  # expect: NAN301 unsafe


def of_a_batch(batch):
    counted = batch["loss_mask"]
    return (batch["x"] * counted).sum() / counted.sum()  # expect: NAN301 unsafe
