# breaks: value(after_training, [0.1, -0.1, 0.0])
import torch
from torch import nn


class Residuals(nn.Module):
    def __init__(self):
        super().__init__()
        self.variance = nn.Parameter(torch.ones(1))

    def forward(self, error):
        deviation = torch.sqrt(self.variance)  # expect: NAN207 no-fix
        return (0.5 * (error / deviation) ** 2).mean() + 0.5 * torch.log(self.variance)  # expect: NAN201 no-fix


def after_training(error, steps=5):
    model = Residuals()
    optimizer = torch.optim.SGD(model.parameters(), lr=1.0)
    for _ in range(steps):
        optimizer.zero_grad()
        loss = model(error).sum()
        loss.backward()
        optimizer.step()
    return model(error)
