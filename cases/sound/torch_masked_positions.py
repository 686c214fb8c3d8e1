# holds: value(reconstruction_loss, [[0.5, 1.0, 2.0, 1.5]]), value(loss_at_places, [[0.5, 1.0, 2.0, 1.5]])
import torch


def masked_mean(losses, mask):
    return (losses * mask).sum() / mask.sum()


def masked_positions(x, share):
    length = x.shape[1]
    kept = int(length * (1 - share))
    order = torch.argsort(torch.rand(x.shape), dim=1)
    mask = torch.ones(x.shape)
    mask[:, :kept] = 0
    return torch.gather(mask, dim=1, index=torch.argsort(order, dim=1))


def reconstruction_loss(x, share=0.75):
    return masked_mean((x - x.mean()) ** 2, masked_positions(x, share))


def loss_at_places(x, count=2):
    order = torch.randperm(x.shape[1])
    mask = torch.zeros(x.shape)
    mask[:, order[:count]] = 1
    return masked_mean((x - x.mean()) ** 2, mask)
