# breaks: gradient(lambda p: RMSELoss()(p, torch.ones(2)), [1.0, 1.0])
import torch
import torch.nn as nn


class RMSELoss(nn.Module):
    def __init__(self):
        super().__init__()
        self.mse = nn.MSELoss()

    def forward(self, yhat, y):
        return torch.sqrt(self.mse(yhat, y))  # expect: NAN203
