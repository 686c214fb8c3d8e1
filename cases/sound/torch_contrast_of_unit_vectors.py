# holds: value(contrast, [[100.0, 0.0]], [[100.0, 0.0]])
import torch
import torch.nn.functional as F


def contrast(x, y, temperature=0.1):
    x, y = F.normalize(x, dim=1), F.normalize(y, dim=1)
    positive = torch.exp(F.cosine_similarity(x, y) / temperature)
    negative = torch.exp(x @ y.t() / temperature)
    return -torch.log(positive / (positive + negative.sum(1))).mean()
