# holds: value(step, [[0.0, 0.0]], [[0.0, 0.1]], [[3.0, 3.0]])
import torch
import torch.nn.functional as F


def floored(loss):
    return loss.sum() / (loss > 0).sum().clamp(min=1)


def raised(loss):
    return loss.sum() / ((loss > 0).float().sum() + 1e-16)


def if_any(loss):
    n = (loss > 0).sum()
    return loss.sum() / n if n > 0 else loss.sum()


def at_least_one(loss):
    return loss.sum() / max((loss > 0).sum(), 1)


def step(anchor, positive, negative):
    near, far = F.pairwise_distance(anchor, positive), F.pairwise_distance(anchor, negative)
    loss = F.relu(near - far + 0.2)
    likely = torch.sigmoid(near)
    print((loss > 0).sum() / loss.numel(), (far > 1).sum() / (likely > 0.5).sum())
    of_all = loss.sum() / (loss >= 0).sum()
    return floored(loss) + raised(loss) + if_any(loss) + at_least_one(loss) + of_all


def train(model, loader, optimizer):
    for a, p, n in loader:
        step(model(a), model(p), model(n)).backward()
        optimizer.step()
