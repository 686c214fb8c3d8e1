# breaks: value(loss_of_tokens, [[0.5, 1.0]], [[0, 0]]), value(loss_of_rows, [[0.5, 1.0], [0.5, 1.0]], [2, 0]), value(loss_by_mask, [[0.5, 1.0]], [[0.0, 0.0]])
import torch


def masked_mean(losses, mask):
    return (losses * mask).sum() / mask.sum()  # expect: NAN301 unsafe


def loss_of_tokens(losses, tokens):
    return masked_mean(losses, (tokens != 0).float())


def mean_of_rows(losses, mask):
    return (losses * mask).sum(dim=1) / mask.sum(dim=1)  # expect: NAN301 unsafe


def loss_of_rows(losses, lengths):
    positions = torch.arange(losses.shape[1])
    return mean_of_rows(losses, (positions[None] < lengths[:, None]).float()).mean()


def loss_by_mask(losses, mask):
    return (losses * mask).sum() / mask.sum()  # expect: NAN301 unsafe


class Normalised(torch.nn.Module):
    def __init__(self, size):
        super().__init__()
        self.is_centred = False
        self.mean = torch.nn.Parameter(torch.zeros(size))

    def centre(self):
        self.is_centred = True

    def forward(self, x, mask):
        if not self.is_centred:
            x = x - (x * mask).sum(0) / mask.sum(0)  # expect: NAN301 unsafe
        return x + self.mean
