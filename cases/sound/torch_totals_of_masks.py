# holds: value(loss_of_sequences, [[0.5, 1.0], [0.5, 1.0]], [2, 0]), value(loss_with_dropped, [[0.5, 1.0]], False)
import torch


def masked_mean(losses, mask):
    return (losses * mask).sum() / mask.sum()


def loss_of_sequences(losses, lengths):
    positions = torch.arange(losses.shape[1])
    mask = positions[None] < lengths[:, None]
    return masked_mean(losses, mask.float())


def loss_of_pairs(losses, lengths, others):
    rows = torch.arange(losses.shape[1])[None] < lengths[:, None]
    columns = torch.arange(losses.shape[2])[None] < others[:, None]
    return masked_mean(losses, (rows[:, :, None] * columns[:, None]).float())


def mean_of_kept(losses, mask):
    return (losses * mask).sum(dim=1) / mask.sum(dim=1)


def loss_with_dropped(losses, training, share=0.1):
    mask = torch.rand_like(losses) > share if training else torch.ones_like(losses)
    return mean_of_kept(losses, mask.float()).mean()


class Normalised(torch.nn.Module):
    def __init__(self, size):
        super().__init__()
        self.is_centred = False
        self.mean = torch.nn.Parameter(torch.zeros(size))

    def forward(self, x, mask):
        if not self.is_centred:
            self.initialise(x, mask)
            self.is_centred = True
        return x + self.mean

    def initialise(self, x, mask):
        with torch.no_grad():
            self.mean.copy_(-(x * mask).sum(0) / mask.sum(0))
