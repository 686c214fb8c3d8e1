# holds: value(lambda x: Features().evaluate(1000 * x), [[1.0, -1.0]])
# The same loss, by which nothing is trained.
import torch


class Features:
    def evaluate(self, x):
        return self._loss(x, torch.tensor([1]))

    def _loss(self, x, labels):
        return torch.nn.CrossEntropyLoss()(x.softmax(dim=1), labels)
