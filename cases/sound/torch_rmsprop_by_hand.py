# holds: [p.detach() for p in [train(torch.zeros(2))]]
import torch


def train(x, lr=0.01, alpha=0.99, eps=1e-8):
    w = torch.ones(2, requires_grad=True)
    square_avg = torch.zeros(2)
    for _ in range(3):
        loss = (w * x).sum()
        loss.backward()
        with torch.no_grad():
            square_avg = alpha * square_avg + (1 - alpha) * w.grad**2
            w -= lr * w.grad / (square_avg.sqrt() + eps)
            w.grad.zero_()
    return w
