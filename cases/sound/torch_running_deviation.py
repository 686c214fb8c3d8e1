"""Keeps the mean and the deviation of all that was seen, by which inputs are normalised."""

import torch


class Running:
    def __init__(self, shape):
        self.count = 0
        self.mean = torch.zeros(shape)
        self.squares = torch.zeros(shape)

    def push(self, x):
        self.count += 1
        if self.count == 1:
            self.mean = x.clone()
        else:
            before = self.mean.clone()
            self.mean = before + (x - before) / self.count
            self.squares = self.squares + (x - before) * (x - self.mean)

    @property
    def variance(self):
        return self.squares / (self.count - 1) if self.count > 1 else torch.square(self.mean)

    @property
    def deviation(self):
        return torch.sqrt(self.variance)


class Smoothed:
    def __init__(self, shape):
        self.mean = torch.zeros(shape)

    def push(self, x):
        self.mean = 0.9 * self.mean + 0.1 * x

    def length(self):
        return torch.sqrt((self.mean**2).sum())
