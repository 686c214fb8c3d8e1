# breaks: value(SSIM(), [[[[0.5, 0.5], [0.5, 0.5]]]], [[[[0.5, 0.5], [0.5, 0.5]]]])
import torch
from torch import nn


class SSIM(nn.Module):
    def __init__(self):
        super().__init__()
        self.pool = nn.AvgPool2d(2, 1)
        self.c1 = 0.01**2

    def forward(self, x, y):
        mu_x, mu_y = self.pool(x), self.pool(y)
        sigma_x = self.pool(x**2) - mu_x**2
        sigma_y = self.pool(y**2) - mu_y**2
        sigma_xy = self.pool(x * y) - mu_x * mu_y
        above = (2 * mu_x * mu_y + self.c1) * (2 * sigma_xy)
        below = (mu_x**2 + mu_y**2 + self.c1) * (sigma_x + sigma_y)
        return (1 - above / below) / 2  # expect: NAN309 no-fix
