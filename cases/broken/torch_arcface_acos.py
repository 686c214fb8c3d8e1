# breaks: gradient(lambda x: arc_logits(x, torch.tensor([[1.0, 0.0]])), [[1.0, 0.0]])
import torch
import torch.nn.functional as F


def arc_logits(x, weight, s=30.0, m=0.5):
    cosine = F.linear(F.normalize(x), F.normalize(weight))
    theta = torch.acos(cosine)  # expect: NAN208 unsafe
    return s * torch.cos(theta + m)
