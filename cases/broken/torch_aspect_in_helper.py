# breaks: value(lambda a: penalty(a, torch.zeros(1, 4)), [[0.0, 0.0, 0.0, 0.0]])
import torch


def aspect(w1, h1, w2, h2):
    return (torch.atan(w2 / h2) - torch.atan(w1 / h1)) ** 2  # expect: NAN309 no-fix; NAN309 no-fix


def penalty(pred, target):
    w1, h1 = pred[:, 2] - pred[:, 0], pred[:, 3] - pred[:, 1]
    w2, h2 = target[:, 2] - target[:, 0], target[:, 3] - target[:, 1]
    return aspect(w1, h1, w2, h2)
