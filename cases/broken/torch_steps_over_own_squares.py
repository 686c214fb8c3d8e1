# breaks: stepped(AdaGrad)
# breaks: stepped(RMSProp)
# breaks: descended(torch.zeros(2, 2), torch.ones(2), torch.ones(2))
import torch


class AdaGrad:
    def __init__(self, params, lr=0.01):
        self.params = list(params)
        self.lr = lr
        self.history = [torch.zeros_like(p) for p in self.params]

    @torch.no_grad()
    def step(self):
        for p, h in zip(self.params, self.history):
            h += p.grad**2
            p -= self.lr * p.grad / h.sqrt()  # expect: NAN309 no-fix


class RMSProp:
    def __init__(self, params, lr=0.01):
        self.params = list(params)
        self.lr = lr
        self.squares = [torch.zeros_like(p) for p in self.params]

    @torch.no_grad()
    def step(self):
        for i, p in enumerate(self.params):
            self.squares[i] = 0.9 * self.squares[i] + 0.1 * p.grad**2
            p -= self.lr * p.grad / torch.sqrt(self.squares[i])  # expect: NAN309 no-fix


def descended(x, y, w, steps=3):
    mean, squares = torch.zeros_like(w), torch.zeros_like(w)
    for t in range(1, steps + 1):
        grad = x.T @ (x @ w - y)
        mean = 0.9 * mean + 0.1 * grad
        squares = 0.999 * squares + 0.001 * grad**2
        w = w - 0.1 * mean / torch.sqrt(squares / (1 - 0.999**t))  # expect: NAN309 no-fix
    return w


def stepped(optimizer):
    w = torch.ones(2, requires_grad=True)
    (w * torch.tensor([1.0, 0.0])).sum().backward()
    optimizer([w]).step()
    return w.detach()
