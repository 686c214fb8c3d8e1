"""A function of `self` is made a method of some class, perhaps not of tensors; one of `x` is not."""

# breaks: gradient(norm, [0.0, 0.0])
# breaks: gradient(length, [0.0, 0.0])
import torch


def norm(self):
    return self.square().sum().sqrt()  # expect: NAN203 possible


def length(x):
    return x.square().sum().sqrt()  # expect: NAN203


class Shared:
    def __init__(self, shares):
        self.shares = shares

    def square(self):
        return Shared([one * one for one in self.shares])

    def sum(self):
        return Shared([sum(self.shares)])

    def sqrt(self):
        return torch.exp(0.5 * torch.log(torch.stack(self.shares) + 1e-6))


Shared.norm = norm
