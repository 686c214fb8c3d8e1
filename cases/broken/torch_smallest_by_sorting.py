# breaks: gradient(lambda x: nearest(x, torch.ones(2, 2)), [[1.0, 1.0], [2.0, 3.0]])
import torch


def nearest(x, centres):
    lengths = torch.sqrt(((x[:, None] - centres[None]) ** 2).sum(-1))  # expect: NAN203
    values, places = torch.sort(lengths, dim=1)
    return values[:, 0].sum()
