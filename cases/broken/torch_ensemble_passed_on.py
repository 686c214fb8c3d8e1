# breaks: value(lambda x: fitted(x), [[1e3, 1e3, 1e3, 1e3]])
import torch
from torch import nn


class Net(nn.Module):
    def __init__(self):
        super().__init__()
        self.head = nn.Linear(4, 2)

    def forward(self, x):
        return self.head(x).chunk(2, -1)


def fit(models, x, y):
    total = 0.0
    for model in models:
        mean, log_variance = model(x)
        errors = (y - mean) ** 2
        loss = (errors * torch.exp(-log_variance) + log_variance).mean()  # expect: NAN504 no-fix
        loss.backward()
        total = total + loss.detach()
    return total


def fitted(x):
    torch.manual_seed(0)
    return fit([Net() for _ in range(8)], x, x[:, :1])
