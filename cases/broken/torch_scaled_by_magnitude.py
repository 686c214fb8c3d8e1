# breaks: value(peak, [0.0, 0.0])
# breaks: value(rows, [[0.0, 0.0], [1.0, 2.0]])
# breaks: value(direction, [0.0, 0.0])
# breaks: value(levels, [0.0, 0.0])
# breaks: value(descent, [0.0, 0.0])
import torch


def peak(signal):
    return 0.9 * signal / signal.abs().max()  # expect: NAN305 unsafe


def rows(x):
    return x / x.abs().amax(dim=1, keepdim=True)  # expect: NAN305 unsafe


def direction(x):
    return x / x.abs().sum()  # expect: NAN302 unsafe


def levels(x):
    scale = 127 / x.abs().max()  # expect: NAN305 unsafe
    return x * scale


def descent(x):
    x = x.detach().requires_grad_()
    loss = x.pow(2).sum()
    grad = torch.autograd.grad(loss, x)[0]
    return x - 0.1 * grad / grad.abs().mean()  # expect: NAN302 unsafe
