# holds: value(after_training, [0.1, -0.1, 0.0])
import torch
from torch import nn


class Residuals(nn.Module):
    def __init__(self):
        super().__init__()
        self.log_variance = nn.Parameter(torch.zeros(1))

    def forward(self, error):
        log_variance = self.log_variance.clamp(-10, 10)
        return (0.5 * error**2 * torch.exp(-log_variance)).mean() + 0.5 * log_variance


def after_training(error, steps=5):
    model = Residuals()
    optimizer = torch.optim.SGD(model.parameters(), lr=1.0)
    for _ in range(steps):
        optimizer.zero_grad()
        loss = model(error).sum()
        loss.backward()
        optimizer.step()
    return model(error)
