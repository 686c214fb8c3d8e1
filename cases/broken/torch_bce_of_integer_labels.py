"""A loss by hand takes integers and plain numbers for labels, and so does its repair."""

# breaks: value(lambda z: loss(z, torch.tensor([0, 1])), [800.0, -800.0])
# breaks: value(lambda z: loss(z, 1.0), [800.0, -800.0])
import torch


def loss(logits, y):
    p = torch.sigmoid(logits)
    return -(y * torch.log(p) + (1 - y) * torch.log(1 - p)).mean()  # expect: NAN108 safe


print(loss(torch.randn(8), torch.randint(0, 2, (8,))), loss(torch.randn(8), 1.0))
