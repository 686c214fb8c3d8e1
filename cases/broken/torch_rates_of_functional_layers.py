# breaks: value(lambda h: Rates()(h), [[200.0, 200.0, 200.0]]), value(lambda h: Rates().shifted(h), [[200.0, 200.0, 200.0]])
import torch
import torch.nn.functional as F


class Rates(torch.nn.Module):
    def __init__(self):
        super().__init__()
        self.weight = torch.nn.Parameter(torch.ones(3, 3))
        self.bias = torch.nn.Parameter(torch.zeros(3))

    def forward(self, h):
        return torch.exp(F.linear(h, self.weight, self.bias))  # expect: NAN504 no-fix

    def shifted(self, h):
        return torch.exp(torch.addmm(self.bias, h, self.weight))  # expect: NAN504 no-fix


def train(rates, h, y, optimizer):
    loss = (rates(h) - y).abs().mean() + rates.shifted(h).mean()
    loss.backward()
    optimizer.step()
