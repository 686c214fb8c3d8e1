# holds: loss(torch.nn.Linear(3, 4), torch.randn(5, 3))
import torch


def loss(net, x):
    p = torch.sigmoid(net(x))
    floored = torch.log(p.clamp(min=1e-6)).mean()
    clear = p > 1e-4
    kept = torch.zeros_like(p)
    kept[clear] = torch.log(p[clear])
    total = floored + kept.mean()
    total.backward()
    return total.detach()
