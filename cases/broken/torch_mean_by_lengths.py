"""A sum that a mask of lengths selects, divided by the lengths: nothing is left of a length of 0."""

# breaks: value(lambda x: by_product(x, torch.tensor([0])), [[1.0, 2.0]])
# breaks: value(lambda x: by_filling(x, torch.tensor([0])), [[[1.0], [2.0]]])
# breaks: value(lambda x: by_choice(x, torch.tensor([0])), [[1.0, 2.0]])
import torch


def by_product(x, lengths):
    mask = torch.arange(x.size(1))[None] < lengths[:, None]
    return (x * mask).sum(1) / lengths  # expect: NAN309 no-fix


def by_filling(x, lengths):
    beyond = torch.arange(x.size(1), device=x.device).unsqueeze(0) >= lengths.unsqueeze(1)
    total = x.masked_fill(beyond.unsqueeze(-1), 0).sum(dim=1)
    return total / lengths.unsqueeze(-1).float()  # expect: NAN309 no-fix


def by_choice(x, lengths):
    mask = torch.arange(x.size(1))[None] < lengths[:, None]
    return torch.where(mask, x, 0.0).sum(1) / lengths  # expect: NAN309 no-fix
