# holds: gradient(lambda x: step(x, torch.ones(2), Writer()), [1.0, 1.0])
import torch


class Writer:
    def add_scalar(self, name, value):
        self.last = name, float(value)


def step(output, target, writer):
    error = ((output - target) ** 2).mean()
    ratio = 20.0 * torch.log10(1.0 / error.sqrt())
    writer.add_scalar("ratio", ratio)
    return error
