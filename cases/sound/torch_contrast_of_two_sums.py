# holds: value(unit_loss, [[1.0, 0.0]], [[1.0, 0.1]], [[0.3, 1.0], [0.0, 1.0]])
# holds: value(shifted_loss, [200.0], [[90.0, 150.0]]), gradient(shifted_loss, [200.0], [[90.0, 150.0]])
import torch
import torch.nn.functional as F


def unit_loss(anchor, positive, negatives):
    anchor, positive = F.normalize(anchor, dim=-1), F.normalize(positive, dim=-1)
    negatives = F.normalize(negatives, dim=-1)
    near = (anchor * positive).sum(-1) / 0.1
    far = (anchor @ negatives.T) / 0.1
    return (torch.log(torch.exp(near) + torch.exp(far).sum(-1)) - near).mean()


def shifted_loss(near, far):
    largest = torch.maximum(near, far.max(-1).values)
    summed = torch.exp(near - largest) + torch.exp(far - largest[:, None]).sum(-1)
    return (largest + torch.log(summed) - near).mean()
