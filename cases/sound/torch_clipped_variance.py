# holds: value(after_training, [0.1, -0.1, 0.0])
# After each step the variance is taken back into its bounds.
import torch
from torch import nn


class Residuals(nn.Module):
    def __init__(self):
        super().__init__()
        self.variance = nn.Parameter(torch.ones(1))

    def forward(self, error):
        return (error**2 / self.variance).mean() + torch.log(self.variance)


def after_training(error, steps=5):
    model = Residuals()
    optimizer = torch.optim.SGD(model.parameters(), lr=1.0)
    for _ in range(steps):
        optimizer.zero_grad()
        loss = model(error).sum()
        loss.backward()
        optimizer.step()
        with torch.no_grad():
            model.variance.clamp_(1e-2, 1e2)
    return model(error)
