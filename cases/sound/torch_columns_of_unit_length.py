# holds: value(lambda w: columns(torch.nn.Linear(2, 2), w), [[0.0, 1.0], [0.0, 1.0]])
import torch


def columns(layer, directions):
    lengths = torch.sqrt((directions**2).sum(0))
    layer.weight.data.copy_(directions / (lengths + 1e-6))
    return layer.weight.data


def first_row(layer, directions):
    layer.weight.data[0].copy_(torch.sqrt((directions**2).sum(0)))
