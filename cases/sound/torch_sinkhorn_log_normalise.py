# holds: value(sinkhorn, [[-200.0, -200.0], [-200.0, -200.0]])
import torch


def sinkhorn(scores, iterations=3):
    for _ in range(iterations):
        scores = scores - torch.logsumexp(scores, dim=1, keepdim=True)
        scores = scores - torch.logsumexp(scores, dim=0, keepdim=True)
    return scores.exp()
