# holds: value(train, [[1.0, 0.0], [0.0, 1.0]], [0.5, 4.0])
import torch
import torch.nn.functional as F


def nll(error, raw):
    scale = F.softplus(raw) + 1e-3
    return (error**2 / scale + torch.log(scale)).mean()


def train(x, y, rate=0.1):
    w = torch.zeros(2, requires_grad=True)
    raw = torch.ones(1, requires_grad=True)
    for _ in range(5):
        loss = nll(y - x @ w, raw)
        loss.backward()
        with torch.no_grad():
            w -= rate * w.grad
            raw -= rate * raw.grad
            w.grad.zero_()
            raw.grad.zero_()
    return raw, nll(y - x @ w, raw)
