# breaks: value(lambda y: learned(error_of_rows, 1.0, y), [[2.0], [2.0]])
# breaks: value(lambda y: learned(size_of_outputs, 0.0, y), [[1.0], [1.0]])
# breaks: value(attacked, [[0.0, 0.0]])
import torch
from torch import nn


def error_of_rows(model, loader, optimizer):
    for inputs, targets in loader:
        loss = torch.sqrt(((model(inputs) - targets) ** 2).mean())  # expect: NAN203
        optimizer.zero_grad()
        loss.backward()
        optimizer.step()


def size_of_outputs(model, loader, optimizer):
    for inputs, targets in loader:
        outputs = model(inputs)
        sizes = torch.sqrt((outputs**2).sum(-1))  # expect: NAN203
        loss = ((sizes - targets[:, 0]) ** 2).mean()
        optimizer.zero_grad()
        loss.backward()
        optimizer.step()


def attack(model, loader, optimizer):
    for inputs, targets in loader:
        inputs.requires_grad_()
        sizes = torch.sqrt((inputs**2).sum(-1, keepdim=True))  # expect: NAN203
        loss = ((model(inputs) - sizes) ** 2).mean()
        optimizer.zero_grad()
        loss.backward()
        optimizer.step()


def learned(train, weight, targets):
    model = nn.Linear(2, 1, bias=False)
    nn.init.constant_(model.weight, weight)
    train(model, [(torch.ones(2, 2), targets)], torch.optim.SGD(model.parameters(), lr=0.1))
    return model.weight


def attacked(inputs):
    model = nn.Linear(2, 1)
    optimizer = torch.optim.SGD(model.parameters(), lr=0.1)
    leaf = inputs.detach().clone()
    attack(model, [(leaf, torch.ones(1, 1))], optimizer)
    return leaf.grad
