# breaks: value(trained, [[0.0, 0.0]])
# breaks: value(penalised, [[0.0, 0.0]])
import torch
from torch import nn


def total(tensors):
    return sum(tensor.pow(2).sum() for tensor in tensors).sqrt()  # expect: NAN203


def length(tensors):
    return sum(tensor.pow(2).sum() for tensor in tensors).sqrt()  # expect: NAN203


def step(model, inputs, optimizer):
    optimizer.zero_grad()
    (model(inputs).mean() + total([p for p in model.parameters()])).backward()
    size = total([p.grad for p in model.parameters()])
    optimizer.step()
    return size


def trained(inputs):
    model = nn.Linear(2, 1, bias=False)
    nn.init.zeros_(model.weight)
    return step(model, inputs, torch.optim.SGD(model.parameters(), lr=0.1)), model.weight


def penalised(inputs):
    model = nn.Linear(2, 1, bias=False)
    nn.init.zeros_(model.weight)
    points = inputs.detach().clone().requires_grad_()
    slopes = torch.autograd.grad(model(points).sum(), [points], create_graph=True)
    length(slopes).backward()
    return model.weight.grad
