# holds: gradient(framed, [[0.0, 1.0, 2.0, 3.0, 2.0, 1.0, 0.0, 1.0]], [100.0])
# holds: gradient(levelled, [[0.0, 1.0, 2.0, 3.0, 2.0, 1.0, 0.0, 1.0]], [100.0])
import torch


def hanning(positions, f0, rate):
    half = torch.round(1.5 * rate / f0).long().unsqueeze(-1)
    window = 0.5 + 0.5 * torch.cos(torch.pi * positions / (1.5 * rate) * f0.unsqueeze(-1))
    window *= torch.logical_and(-half <= positions, positions <= half)
    return window


def framed(x, f0, rate=100.0):
    positions = torch.arange(x.shape[-1]) - x.shape[-1] // 2
    window = hanning(positions, f0.detach(), rate)
    window = window / torch.linalg.vector_norm(window, dim=-1, keepdim=True)
    return x * window


def levelled(x, f0, rate=100.0):
    positions = torch.arange(x.shape[-1]) - x.shape[-1] // 2
    window = hanning(positions, f0.detach(), rate)
    weighed = x * window
    mean = weighed.sum(dim=-1, keepdim=True) / window.sum(dim=-1, keepdim=True)
    return weighed - window * mean


def train(model, batches):
    optimizer = torch.optim.Adam(model.parameters())
    for x, f0 in batches:
        loss = framed(model(x), f0).square().sum() + levelled(model(x), f0).square().sum()
        optimizer.zero_grad()
        loss.backward()
        optimizer.step()
