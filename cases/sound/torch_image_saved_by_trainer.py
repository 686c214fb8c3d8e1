# holds: value(lambda x: torch.tensor(Trainer(torch.nn.Identity()).picture(x)), [[0.0, 0.5]])
import torch


def to_srgb(x):
    return torch.where(x < 0.0031308, 12.92 * x, 1.055 * x**0.41666 - 0.055)


class Trainer:
    def __init__(self, model):
        self.model = model

    def picture(self, x):
        return to_srgb(self.model(x)).detach().numpy()

    def step(self, x, y):
        error = torch.nn.functional.mse_loss(self.model(x), y)
        error.backward()
        return error
