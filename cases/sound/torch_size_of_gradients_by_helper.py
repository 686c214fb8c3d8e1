# holds: value(trained, [[0.0, 0.0]])
import torch
from torch import nn


def total(tensors):
    return sum(tensor.pow(2).sum() for tensor in tensors).sqrt()


def step(model, inputs, optimizer):
    optimizer.zero_grad()
    model(inputs).mean().backward()
    size = total([p.grad for p in model.parameters() if p.grad is not None])
    for parameter in model.parameters():
        parameter.grad /= torch.clamp(size, min=1.0)
    optimizer.step()
    return size


def trained(inputs):
    model = nn.Linear(2, 1, bias=False)
    optimizer = torch.optim.SGD(model.parameters(), lr=0.1)
    return step(model, inputs, optimizer), model.weight
