# breaks: value(lambda x: Features().evaluate(1000 * x), [[1.0, -1.0]])
# What an evaluation trains is trained.
import torch


class Features:
    def evaluate(self, x):
        return self._probe(x, torch.tensor([1]))

    def _probe(self, x, labels):
        layer = torch.nn.Linear(2, 2)
        torch.nn.init.eye_(layer.weight)
        loss = torch.nn.CrossEntropyLoss()(layer(x).softmax(dim=1), labels)  # expect: NAN603 unsafe
        loss.backward()
        return loss.detach() / layer.weight.grad.abs().sum()
