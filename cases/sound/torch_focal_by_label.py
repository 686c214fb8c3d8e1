"""A `where` that replaces a probability where it may be 0, or one with a floor under the choice."""

# holds: value(lambda z: floored(z, torch.tensor([1, 0])), [-200.0, 0.0])
# holds: value(lambda z: counted(z, torch.tensor([1.0, 0.0])), [-200.0, 0.0])
import torch


def floored(logits, labels):
    p = torch.sigmoid(logits)
    chosen = torch.where(labels == 1, p, torch.ones_like(p)).clamp(min=1e-6)
    return -((1 - chosen) ** 2 * torch.log(chosen)).mean()


def counted(logits, counts):
    share = counts / (counts + torch.relu(logits) + 1)
    return -torch.log(torch.where(counts == 0, 1.0, share)).mean()


def train(model, loader, optimizer):
    for x, labels, counts in loader:
        loss = floored(model(x), labels) + counted(model(x), counts)
        optimizer.zero_grad()
        loss.backward()
        optimizer.step()
