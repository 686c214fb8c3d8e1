# breaks: value(contrast, [[100.0, 0.0]], [[100.0, 0.0]])
import torch


def contrast(x, y):
    positive = torch.exp((x * y).sum(1))
    negative = torch.exp(x @ y.t())
    return -torch.log(positive / (positive + negative.sum(1))).mean()  # expect: NAN103 no-fix
