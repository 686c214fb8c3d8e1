# holds: value(trained_rates)
import torch
from torch import nn


class Rates(nn.Module):
    def __init__(self, n, floor=None):
        super().__init__()
        self.n = n
        self.floor = floor
        self.rates = nn.Parameter(torch.full((n,), 0.1))

    def _clamp(self):
        floor = self.floor if self.floor is not None else min(0.01, 1 / self.n)
        self.rates.data = self.rates.clamp(floor, 1 - floor)

    def fit(self, counts):
        optimizer = torch.optim.SGD(self.parameters(), lr=1.0)
        for _ in range(5):
            optimizer.zero_grad()
            loss = torch.sum((self.rates - counts) ** 2)
            loss.backward()
            optimizer.step()
        self._clamp()

    def predict(self):
        return torch.log(self.rates.detach())


def trained_rates():
    model = Rates(3)
    model.fit(torch.tensor([0.5, 0.0, -1.0]))
    return model.predict()
