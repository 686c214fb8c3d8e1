# holds: value(lambda x: loss(x, torch.zeros(2), torch.tensor([-100, -100])), [0.5, 1.0])
import torch
import torch.nn.functional as F


def loss(predicted, target, labels):
    labelled = labels != -100
    errors = F.l1_loss(predicted[labelled], target[labelled], reduction="none")
    return 0.5 * errors.sum() / labelled.sum().clamp(min=1)


def step(model, optimizer, x, target, labels):
    optimizer.zero_grad()
    loss(model(x), target, labels).backward()
    optimizer.step()
