# breaks: value(masked_loss, [[1.0, 2.0]], [[0.0, 0.0]])
import torch


def masked_loss(pred, target):
    valid = target > 0
    errors = torch.abs(pred - target)[valid]
    return errors.sum() / errors.numel()  # expect: NAN301
