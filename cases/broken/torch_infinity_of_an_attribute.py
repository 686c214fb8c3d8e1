"""-inf by an attribute masks like -inf itself: a row without a token is NaN."""

# breaks: value(lambda x: Attention().scores(x, x < 0), [[1.0, 2.0]])
# breaks: value(lambda x: Given().scores(x, x < 0), [[1.0, 2.0]])
import torch


class Attention:
    def __init__(self):
        self.out = float("-inf")

    def scores(self, x, keep):
        return torch.softmax(x.masked_fill(~keep, self.out), -1)  # expect: NAN403 possible


class Given:
    def __init__(self, out=float("-inf")):
        self.out = out

    def scores(self, x, keep):
        return torch.softmax(x.masked_fill(~keep, self.out), -1)  # expect: NAN403 possible
