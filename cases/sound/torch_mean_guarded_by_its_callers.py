"""The only calls of a private function are guarded, each in its own way."""

# holds: value(loss, [1.0, 2.0], [0.0, 0.0])
# holds: value(loss_of_parts, [1.0, 2.0], [0.0, 0.0])
# holds: value(lambda x, m: Loss()(x, m), [1.0, 2.0], [0.0, 0.0])
import torch


def _masked_mean(values, mask):
    return (values * mask).sum() / mask.sum()


def loss(values, mask):
    if mask.sum() == 0:
        return values.sum() * 0.0
    return _masked_mean(values, mask)


def _mean_of_kept(values, mask):
    return (values * mask).sum() / mask.sum()


def loss_of_parts(values, mask):
    count = float(mask.sum())
    if count <= 0:
        return torch.zeros(())
    first = _mean_of_kept(values, mask)
    return first + _mean_of_kept(2 * values, mask)


class Loss:
    def _mean(self, values, mask):
        return (values * mask).sum() / mask.sum()

    def __call__(self, values, mask):
        if not mask.sum() > 0:
            return values.sum() * 0.0
        return self._mean(values, mask)
