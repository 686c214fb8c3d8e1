# breaks: value(lambda x: step(1000 * x), [[1.0, -1.0]])
# Each path ends in probabilities, by one function or another.
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
        return torch.softmax(scores, dim=1)


def step(x):
    detector = Detector(2)
    loss = torch.nn.functional.cross_entropy(detector(x), torch.tensor([1]))  # expect: NAN603 no-fix
    loss.backward()
    return loss.detach() / detector.layer.weight.grad.abs().sum()
