# breaks: value(loss_of_positive, [[-0.5, -1.0]]), value(loss_of_values, [[-0.5, -1.0]])
import torch


def masked_mean(losses, mask):
    return (losses * mask).sum() / mask.sum()  # expect: NAN301 unsafe


def loss_of_positive(x):
    mask = torch.zeros(x.shape)
    mask[:, : (x > 0).sum()] = 1
    return masked_mean((x - x.mean()) ** 2, mask)


def loss_of_values(x):
    mask = torch.zeros(x.shape)
    mask[x > 0] = 1
    return masked_mean((x - x.mean()) ** 2, mask)
