# breaks: gradient(lambda x: step(x, torch.ones(2)), [1.0, 1.0])
import torch


def step(output, target):
    error = ((output - target) ** 2).mean()
    ratio = 20.0 * torch.log10(1.0 / error.sqrt())  # expect: NAN203 unsafe
    return -ratio
