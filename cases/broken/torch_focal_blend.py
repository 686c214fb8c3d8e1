"""The probability of a label, blended of p and 1 - p, is 0 once the prediction saturates on the other."""

# breaks: value(focal, [30.0, -200.0], [0.0, 1.0])
# breaks: value(focal_turned, [30.0, -200.0], [0.0, 1.0])
import torch


def focal(logits, y, gamma=2.0):
    p = logits.sigmoid()
    pt = p * y + (1 - p) * (1 - y)
    return -((1 - pt) ** gamma * torch.log(pt)).mean()  # expect: NAN201 unsafe


def focal_turned(logits, y):
    p = torch.sigmoid(logits)
    pt = (1 - y) * (1 - p) + y * p
    return -torch.log(pt).mean()  # expect: NAN201 unsafe
