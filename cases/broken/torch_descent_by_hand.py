# breaks: value(train, [[1.0, 0.0], [0.0, 1.0]], [0.1, -0.1])
# Descent by hand takes the scale below 0, where its logarithm is NaN.
import torch


def nll(error, scale):
    return (error**2 / scale + torch.log(scale)).mean()  # expect: NAN201 unsafe; NAN309 possible


def train(x, y, rate=1.0):
    w = torch.zeros(2, requires_grad=True)
    scale = torch.ones(1, requires_grad=True)
    for _ in range(5):
        loss = nll(y - x @ w, scale)
        loss.backward()
        with torch.no_grad():
            w -= rate * w.grad
            scale -= rate * scale.grad
            w.grad.zero_()
            scale.grad.zero_()
    return scale, nll(y - x @ w, scale)
