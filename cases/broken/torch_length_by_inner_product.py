# breaks: gradient(lambda x: distance(x, x), [1.0, 2.0])
import torch


def distance(x, y):
    difference = x - y
    return torch.sqrt(torch.dot(difference, difference))  # expect: NAN203 unsafe
