# breaks: value(lambda x: odds(10), [1.0])
# breaks: value(lambda x: chebyshev_weights(10), [1.0])
# breaks: value(lambda x: remaining(10), [1.0])
import torch


def odds(steps):
    t = torch.linspace(0, 1, steps)
    return t / (1 - t)  # expect: NAN309 no-fix


def chebyshev_weights(steps):
    t = torch.linspace(-1.0, 1.0, steps)
    return 1 / torch.sqrt(1 - t**2)  # expect: NAN309 no-fix


def remaining(steps):
    t = torch.linspace(0, 4, steps)
    return torch.exp(-t) / (8 - 2 * t)  # expect: NAN309 no-fix
