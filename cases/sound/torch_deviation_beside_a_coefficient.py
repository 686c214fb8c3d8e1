"""The logarithm of the ratio of signal to noise, of a schedule that keeps the variance."""

import torch


class Schedule:
    def __init__(self, betas):
        self.logs = 0.5 * torch.log(1 - betas).cumsum(dim=0)
        self.first, self.last = 0.1, 20.0

    def coefficient(self, t):
        return -0.25 * t**2 * (self.last - self.first) - 0.5 * t * self.first

    def ratio(self, t):
        log_mean = self.coefficient(t)
        log_deviation = 0.5 * torch.log(1.0 - torch.exp(2.0 * log_mean))
        return log_mean - log_deviation

    def ratios(self):
        return self.logs - 0.5 * torch.log(1.0 - torch.exp(2.0 * self.logs))
