"""Weights by the number of positions below each length: a later selection hides no NaN gradient."""

# breaks: gradient(lambda y: loss(y, torch.zeros(2, 2), torch.tensor([2, 0])), [[1.0, 2.0], [3.0, 4.0]])
import torch


def loss(outputs, targets, lengths):
    mask = torch.arange(outputs.shape[1])[None] < lengths[:, None]
    weights = mask.float() / mask.sum(dim=1, keepdim=True).float()  # expect: NAN301 safe
    return ((outputs - targets).abs() * weights).masked_select(mask).sum()


def train(model, loader, optimizer):
    for inputs, targets, lengths in loader:
        step = loss(model(inputs), targets, lengths)
        optimizer.zero_grad()
        step.backward()
        optimizer.step()
