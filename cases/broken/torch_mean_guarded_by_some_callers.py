"""A guard at one of two calls, one about something else, and one before a public function."""

# breaks: value(unguarded_loss, [1.0, 2.0], [0.0, 0.0])
# breaks: value(loss_of_values, [1.0, 2.0], [0.0, 0.0])
# breaks: value(masked_mean, [1.0, 2.0], [0.0, 0.0])
import torch


def _masked_mean(values, mask):
    return (values * mask).sum() / mask.sum()  # expect: NAN301 unsafe


def loss(values, mask):
    if mask.sum() == 0:
        return values.sum() * 0.0
    return _masked_mean(values, mask)


def unguarded_loss(values, mask):
    return _masked_mean(values, mask)


def _mean_of_kept(values, mask):
    return (values * mask).sum() / mask.sum()  # expect: NAN301 unsafe


def loss_of_values(values, mask):
    if values.sum() == 0:
        return values.sum()
    return _mean_of_kept(values, mask)


def masked_mean(values, mask):
    return (values * mask).sum() / mask.sum()  # expect: NAN301 unsafe


def guarded_loss(values, mask):
    if mask.sum() == 0:
        return values.sum() * 0.0
    return masked_mean(values, mask)
