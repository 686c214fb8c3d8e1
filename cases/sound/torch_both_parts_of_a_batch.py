# holds: gradient(both, [[1.0, 2.0], [0.0, 1.0]], [[0.0, 0.0], [0.0, 1.0]], [1.0, 0.0])
# holds: gradient(both, [[1.0, 2.0], [0.0, 1.0]], [[0.0, 0.0], [0.0, 1.0]], [0.0, 0.0])
import torch


def both(pred, target, draws):
    mask = draws > 0.5
    rest = ~mask
    errors = ((pred - target) ** 2).mean(-1)
    magnitudes = (pred**2).mean(-1)
    count, others = mask.sum(), rest.sum()
    total = count + others
    mean = (errors * mask).sum() / count.clamp_min(1)
    other_mean = (magnitudes * rest).sum() / others.clamp_min(1)
    return torch.where(
        total > 0, (mean * count + other_mean * others) / total, mean + other_mean
    )


def train(model, batches):
    optimizer = torch.optim.Adam(model.parameters())
    for x, y in batches:
        loss = both(model(x), y, torch.rand(len(x)))
        optimizer.zero_grad()
        loss.backward()
        optimizer.step()
