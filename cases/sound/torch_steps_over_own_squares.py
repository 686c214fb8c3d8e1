# possible: ignored
# holds: stepped(Shifted)
# holds: stepped(Begun)
# holds: stepped(OfWhole)
# holds: descended(torch.zeros(2, 2), torch.ones(2), torch.ones(2))
import torch


class Shifted:
    def __init__(self, params, lr=0.01):
        self.params = list(params)
        self.lr = lr
        self.history = [torch.zeros_like(p) for p in self.params]

    @torch.no_grad()
    def step(self):
        for p, h in zip(self.params, self.history):
            h += p.grad**2
            p -= self.lr * p.grad / (h.sqrt() + 1e-8)


class Begun:
    def __init__(self, params, lr=0.01):
        self.params = list(params)
        self.lr = lr
        self.history = [torch.full_like(p, 0.1) for p in self.params]

    @torch.no_grad()
    def step(self):
        for p, h in zip(self.params, self.history):
            h += p.grad**2
            p -= self.lr * p.grad / h.sqrt()


class OfWhole:
    """One number for all elements: it is above 0 wherever any gradient is."""

    def __init__(self, params, lr=0.01):
        self.params = list(params)
        self.lr = lr
        self.total = 0.0

    @torch.no_grad()
    def step(self):
        for p in self.params:
            self.total = self.total + (p.grad**2).sum()
            p -= self.lr * p.grad / torch.sqrt(self.total)


def descended(x, y, w, steps=3):
    squares = torch.zeros_like(w)
    for _ in range(steps):
        grad = x.T @ (x @ w - y)
        squares = 0.999 * squares + 0.001 * (grad**2 + 1e-8)
        w = w - 0.1 * grad / torch.sqrt(squares)
    return w


def stepped(optimizer):
    w = torch.ones(2, requires_grad=True)
    (w * torch.tensor([1.0, 0.0])).sum().backward()
    optimizer([w]).step()
    return w.detach()
