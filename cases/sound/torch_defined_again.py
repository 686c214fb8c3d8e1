# holds: value(mean_of_kept, [1.0], [0.0]), value(Mean(), [1.0], [0.0])
import torch


def mean_of_kept(x, mask):
    return (x * mask).sum() / mask.sum()


def mean_of_kept(x, mask):
    return (x * mask).sum() / mask.sum().clamp(min=1)


class Mean(torch.nn.Module):
    def forward(self, x, mask):
        return (x * mask).sum() / mask.sum()

    def forward(self, x, mask):
        return mean_of_kept(x, mask)
