# breaks: value(trained_rates)
# breaks: value(rates_never_clamped)
import torch
from torch import nn


class Rates(nn.Module):
    def __init__(self, n):
        super().__init__()
        self.rates = nn.Parameter(torch.full((n,), 0.1))

    def _clamp(self):
        self.rates.data = self.rates.clamp(0.0, 1.0)

    def fit(self, counts):
        optimizer = torch.optim.SGD(self.parameters(), lr=1.0)
        for _ in range(5):
            optimizer.zero_grad()
            loss = torch.sum((self.rates - counts) ** 2)
            loss.backward()
            optimizer.step()
        self._clamp()

    def predict(self):
        return torch.log(self.rates.detach())  # expect: NAN201 unsafe


class OtherRates(nn.Module):
    def __init__(self, n, floor):
        super().__init__()
        self.floor = floor
        self.rates = nn.Parameter(torch.full((n,), 0.1))

    def floored(self):
        return self.rates.clamp(self.floor, 1 - self.floor)

    def fit(self, counts):
        optimizer = torch.optim.SGD(self.parameters(), lr=1.0)
        for _ in range(5):
            optimizer.zero_grad()
            loss = torch.sum((self.floored() - counts) ** 2)
            loss.backward()
            optimizer.step()

    def predict(self):
        return torch.log(self.rates.detach())  # expect: NAN201 unsafe


def trained_rates():
    model = Rates(3)
    model.fit(torch.tensor([0.5, 0.0, -1.0]))
    return model.predict()


def rates_never_clamped():
    model = OtherRates(3, 0.01)
    model.fit(torch.tensor([0.5, 0.0, -1.0]))
    return model.predict()
