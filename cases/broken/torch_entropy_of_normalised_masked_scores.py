# breaks: value(lambda z: entropy(z, torch.tensor([[True, False]])), [[1.0, 2.0]])
# breaks: value(lambda z: Masked(z, torch.tensor([[True, False]])).entropy(), [[1.0, 2.0]])
import torch
from torch import nn


def entropy(scores, mask):
    scores = scores.masked_fill(~mask, float("-inf"))
    logarithms = scores - scores.logsumexp(dim=-1, keepdim=True)
    return -(logarithms * logarithms.exp()).sum(dim=-1)  # expect: NAN202 no-fix


class Masked:
    def __init__(self, scores, mask):
        scores = torch.where(mask, scores, torch.tensor(float("-inf")))
        self.logarithms = nn.functional.log_softmax(scores, dim=-1)
        self.probabilities = nn.functional.softmax(scores, dim=-1)

    def entropy(self):
        return -(self.logarithms * self.probabilities).sum(dim=-1)  # expect: NAN202 no-fix
