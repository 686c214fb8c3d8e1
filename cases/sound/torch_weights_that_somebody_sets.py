# holds: value(lambda x: shared(x, torch.tensor([1.0, 3.0])), [1.0, 2.0])
import torch


class Share:
    def __init__(self, parts):
        self.weights = torch.zeros(parts)

    def of(self, x):
        return (x * self.weights).sum() / self.weights.sum()


def shared(x, weights):
    share = Share(len(weights))
    share.weights = weights
    return share.of(x)
