import torch
import torch.nn.functional as F


def loss(predicted, target, labels):
    labelled = labels != -100
    errors = F.l1_loss(predicted[labelled], target[labelled], reduction="none")
    return 0.5 * errors.mean()  # expect: NAN307 no-fix


def step(model, optimizer, x, target, labels):
    optimizer.zero_grad()
    loss(model(x), target, labels).backward()
    optimizer.step()
