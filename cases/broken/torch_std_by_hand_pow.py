# breaks: gradient(style_loss, [[1.0, 1.0, 1.0]], [[1.0, 2.0, 3.0]])
import torch


def mean_std(feat):
    mean = torch.sum(feat, 1) / feat.size(1)
    var = torch.sum(torch.pow(feat - mean.unsqueeze(1), 2), 1) / feat.size(1)
    return mean, torch.pow(var, 0.5)  # expect: NAN203 possible


def style_loss(x, y):
    mx, sx = mean_std(x)
    my, sy = mean_std(y)
    return ((mx - my) ** 2).mean() + ((sx - sy) ** 2).mean()
