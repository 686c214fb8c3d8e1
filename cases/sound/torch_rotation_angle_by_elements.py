"""The same with the cosine kept from the ends, or by `atan2`."""

# holds: gradient(lambda r: clamped(r, r.detach()), [[[1.0, 0.0, 0.0], [0.0, 1.0, 0.0], [0.0, 0.0, 1.0]]])
# holds: gradient(lambda q: by_atan2(q, q.detach()), [[1.0, 0.0, 0.0, 0.0]])
import torch


def clamped(predicted, target):
    m = torch.bmm(predicted, target.transpose(1, 2))
    cosine = (m[:, 0, 0] + m[:, 1, 1] + m[:, 2, 2] - 1) / 2
    return torch.acos(cosine.clamp(-1 + 1e-6, 1 - 1e-6)).mean()


def by_atan2(predicted, target):
    apart, together = (predicted - target).norm(dim=-1), (predicted + target).norm(dim=-1)
    return 4 * torch.atan2(apart, together).mean()


def train(model, loader, optimizer):
    for images, rotations, quaternions in loader:
        loss = clamped(model(images), rotations) + by_atan2(model(images), quaternions)
        optimizer.zero_grad()
        loss.backward()
        optimizer.step()
