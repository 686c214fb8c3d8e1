# possible: ignored
# holds: value(lambda x: clamped(x, True), [[-200.0, 1.0]])
# holds: value(lambda x: clamped_after(x, True), [[-200.0, 1.0]])
# holds: value(lambda x: shifted(x, True), [[-200.0, 1.0]])
import torch


def clamped(x, first):
    p = torch.sigmoid(x)
    if first:
        p = p.clamp(min=1e-6)[:, 0]
    else:
        p = p.clamp(min=1e-6)[:, 1]
    return torch.log(p)


def clamped_after(x, first):
    if first:
        p = torch.sigmoid(x)[:, 0]
    else:
        p = torch.softmax(x, -1)[:, 1]
    return torch.log(p.clamp(min=1e-6))


def shifted(x, is_detached):
    top = x.max(-1, keepdim=True).values
    if is_detached:
        top = top.detach().reshape(-1, 1)
    weight = torch.exp(x - top)
    return weight / weight.sum(-1, keepdim=True)
