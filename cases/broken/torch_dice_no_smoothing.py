# breaks: value(dice_loss, [[0.0, 0.0]], [[0.0, 0.0]])
import torch


def dice_loss(pred, target):
    pred = torch.relu(pred).view(-1)
    target = (target > 0.5).float().view(-1)
    intersection = (pred * target).sum()
    return 1 - 2 * intersection / (pred.sum() + target.sum())  # expect: NAN302 unsafe
