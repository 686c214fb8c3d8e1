"""A `where` that chooses a probability by a label keeps it from nothing."""

# breaks: value(lambda z: positive(z, torch.tensor([1, 0])), [-200.0, 0.0])
# breaks: value(lambda z: negative(z, torch.tensor([0, 1])), [200.0, 0.0])
import torch


def positive(logits, labels):
    p = torch.sigmoid(logits)
    chosen = torch.where(labels == 1, p, torch.ones_like(p))
    return -((1 - chosen) ** 2 * torch.log(chosen)).mean()  # expect: NAN201 unsafe


def negative(logits, labels):
    p = torch.sigmoid(logits)
    chosen = torch.where(labels == 0, p, 0.0)
    return -(chosen**2 * torch.log(1 - chosen)).mean()  # expect: NAN201 unsafe


def train(model, loader, optimizer):
    for x, labels in loader:
        loss = positive(model(x), labels) + negative(model(x), labels)
        optimizer.zero_grad()
        loss.backward()
        optimizer.step()
