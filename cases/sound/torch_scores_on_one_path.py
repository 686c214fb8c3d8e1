# holds: value(lambda x: step(1000 * x), [[1.0, -1.0]])
import torch


class Detector(torch.nn.Module):
    def __init__(self, classes):
        super().__init__()
        self.layer = torch.nn.Linear(2, classes)
        torch.nn.init.eye_(self.layer.weight)

    def forward(self, x):
        scores = self.layer(x)
        if scores.shape[1] == 1:
            return torch.sigmoid(scores)
        return scores


def step(x):
    detector = Detector(2)
    loss = torch.nn.functional.cross_entropy(detector(x), torch.tensor([1]))
    loss.backward()
    return loss.detach() / detector.layer.weight.grad.abs().sum()
