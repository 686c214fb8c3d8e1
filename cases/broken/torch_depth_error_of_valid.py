# breaks: value(lambda p: depth_error(p, torch.zeros(2, 2)), [[1.0, 2.0], [3.0, 4.0]])
import torch


def depth_error(pred, depth):
    valid = depth > 0
    error = torch.abs(pred[valid] - depth[valid])
    return error.mean()  # expect: NAN307 no-fix
