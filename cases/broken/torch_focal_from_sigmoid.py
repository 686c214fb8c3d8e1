# breaks: value(focal, [200.0], [0.0])
import torch


def focal(logits, y, gamma=2.0):
    p = torch.sigmoid(logits)
    pos = -(1 - p) ** gamma * torch.log(p)  # expect: NAN102
    neg = -p ** gamma * torch.log(1 - p)  # expect: NAN102
    return (y * pos + (1 - y) * neg).mean()
