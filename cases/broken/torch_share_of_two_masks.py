"""Two masks that leave out the elements between their thresholds."""

# breaks: value(share, [1.0, 2.0], [0.4, 0.3])
import torch


def share(x, scores):
    high = (scores > 0.5).float()
    low = (scores < 0.2).float()
    own = (x.exp() * high).sum()
    others = (x.exp() * low).sum()
    return own / (own + others)  # expect: NAN302 unsafe
