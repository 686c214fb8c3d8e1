# holds: value(lambda p: depth_error(p, torch.zeros(2, 2)), [[1.0, 2.0], [3.0, 4.0]])
# holds: value(lambda p: checked(p, torch.zeros(2, 2)), [[1.0, 2.0], [3.0, 4.0]])
import torch


def depth_error(pred, depth):
    valid = depth > 0
    error = torch.abs(pred[valid] - depth[valid])
    return error.sum() / valid.sum().clamp(min=1)


def checked(pred, depth):
    valid = depth > 0
    error = torch.abs(pred[valid] - depth[valid])
    if error.numel() == 0:
        return pred.sum() * 0.0
    return error.mean()
