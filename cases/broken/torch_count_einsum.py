# breaks: value(pool, [[[1.0], [2.0]]], [[False, False]])
import torch


def pool(hidden, attention_mask):
    mask = attention_mask.float()
    total = torch.einsum("bth,bt->bh", hidden, mask)
    count = torch.einsum("bt->b", mask)
    return total / count.unsqueeze(-1)  # expect: NAN301 unsafe
