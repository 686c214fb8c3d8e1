# breaks: value(cost, [[0.0, 1.0]], [[0.0, 1.0]])
import torch


def cost(weights, scores):
    p = torch.relu(scores)
    return -(weights * torch.log(p)).sum()  # expect: NAN202 unsafe
