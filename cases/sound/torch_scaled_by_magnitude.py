# holds: value(peak, [0.0, 0.0])
# holds: value(rows, [[0.0, 0.0], [1.0, 2.0]])
# holds: value(direction, [0.0, 0.0])
# holds: value(levels, [0.0, 0.0])
# holds: value(descent, [0.0, 0.0])
import torch


def peak(signal):
    most = signal.abs().max()
    if most == 0:
        return signal
    return 0.9 * signal / most


def rows(x):
    return x / x.abs().amax(dim=1, keepdim=True).clamp(min=1e-8)


def direction(x):
    return x / (x.abs().sum() + 1e-8)


def levels(x):
    scale = 127 / max(x.abs().max().item(), 1e-8)
    return x * scale


def descent(x):
    x = x.detach().requires_grad_()
    loss = x.pow(2).sum()
    grad = torch.autograd.grad(loss, x)[0]
    return x - 0.1 * grad / (grad.abs().mean() + 1e-8)
