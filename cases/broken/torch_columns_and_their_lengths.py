# breaks: gradient(lambda w: columns(torch.nn.Linear(2, 2), w), [[0.0, 1.0], [0.0, 1.0]])
import torch


def columns(layer, directions):
    lengths = torch.sqrt((directions**2).sum(0))  # expect: NAN203
    layer.weight.data.copy_(directions)
    return (lengths - 1).abs().mean()
