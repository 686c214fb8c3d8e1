# breaks: value(sinkhorn, [[-200.0, -200.0], [-200.0, -200.0]])
import torch


def sinkhorn(scores, iterations=3):
    P = torch.exp(scores)
    for _ in range(iterations):
        P = P / P.sum(dim=1, keepdim=True)  # expect: NAN103 no-fix
        P = P / P.sum(dim=0, keepdim=True)
    return P
