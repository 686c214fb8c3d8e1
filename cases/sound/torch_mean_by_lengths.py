"""Packing raises for a length of 0, and so may a test; a sum without a mask says nothing."""

# holds: value(lambda x: packed(x, torch.tensor([1, 2])), [[[1.0], [2.0]], [[3.0], [4.0]]])
# holds: value(lambda x: packed_by_another(x, torch.tensor([1, 2])), [[[1.0], [2.0]], [[3.0], [4.0]]])
# holds: value(lambda x: tested(x, torch.tensor([1])), [[1.0, 2.0]])
# holds: value(lambda x: floored(x, torch.tensor([0])), [[1.0, 2.0]])
import torch
from torch.nn.utils.rnn import pack_padded_sequence

recurrent = torch.nn.GRU(1, 1, batch_first=True)


def packed(x, lengths):
    out, _ = recurrent(pack_padded_sequence(x, lengths.cpu(), batch_first=True, enforce_sorted=False))
    mask = torch.arange(x.size(1))[None] < lengths[:, None]
    own = (x.squeeze(-1) * mask).sum(1) / mask.sum(1)
    return (x.squeeze(-1) * mask).sum(1) / lengths + own


class Encoder(torch.nn.Module):
    def forward(self, x, steps):
        return recurrent(pack_padded_sequence(x, steps, batch_first=True, enforce_sorted=False))


encoder = Encoder()


def packed_by_another(x, lengths):
    encoder(x, lengths)
    mask = torch.arange(x.size(1))[None] < lengths[:, None]
    return (x.squeeze(-1) * mask).sum(1) / lengths


def tested(x, lengths):
    if (lengths == 0).any():
        raise ValueError("an empty sequence")
    mask = torch.arange(x.size(1))[None] < lengths[:, None]
    return (x * mask).sum(1) / lengths


def floored(x, lengths):
    mask = torch.arange(x.size(1))[None] < lengths[:, None]
    return (x * mask).sum(1) / lengths.clamp(min=1)
