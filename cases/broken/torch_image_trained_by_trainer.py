# breaks: gradient(lambda x: Trainer(torch.nn.Identity()).error(x, torch.ones(2)), [[0.0, 0.5]])
import torch


def to_srgb(x):
    return torch.where(x < 0.0031308, 12.92 * x, 1.055 * x**0.41666 - 0.055)  # expect: NAN401


class Trainer:
    def __init__(self, model):
        self.model = model

    def error(self, x, y):
        return torch.nn.functional.mse_loss(to_srgb(self.model(x)), y)

    def step(self, x, y):
        error = self.error(x, y)
        error.backward()
        return error
