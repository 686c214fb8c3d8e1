# holds: value(check)
import torch


class RelativeError:
    def __init__(self, eps=1e-8):
        self.eps = eps

    def __call__(self, x, y):
        diff = torch.sum(torch.abs(x - y) ** 2, dim=-1) + 1e-8
        length = torch.sum(y**2, dim=-1)
        return ((diff**0.5) / (length**0.5 + self.eps)).mean()


def train(model, batches):
    optimizer = torch.optim.Adam(model.parameters())
    loss_of = RelativeError()
    for x, y in batches:
        loss = loss_of(model(x), y)
        optimizer.zero_grad()
        loss.backward()
        optimizer.step()


def check():
    model = torch.nn.Linear(2, 2)
    train(model, [(torch.ones(3, 2), torch.zeros(3, 2))])
    return torch.cat([one.flatten() for one in model.parameters()])
