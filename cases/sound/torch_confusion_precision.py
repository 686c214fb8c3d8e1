# holds: value(precision_of, [[9.0, 0.0, 0.0]], [1])
# holds: value(accuracy_of, [[9.0, 0.0, 0.0]], [1])
import torch
from torch.nn import functional as F


class Confusion:
    def __init__(self, classes):
        self.classes = classes
        self.table = torch.zeros(classes, classes)

    def update(self, logits, labels):
        true = F.one_hot(labels.long(), self.classes).float()
        predicted = F.one_hot(logits.argmax(dim=-1), self.classes).float()
        self.table += true.t() @ predicted

    def precision(self):
        return torch.diagonal(self.table) / self.table.sum(dim=0).clamp(min=1.0)


def precision_of(logits, labels):
    confusion = Confusion(3)
    confusion.update(logits, labels)
    return confusion.precision()


def accuracy_of(logits, labels):
    true = F.one_hot(labels.long(), 3).float()
    predicted = F.one_hot(logits.argmax(dim=-1), 3).float()
    table = true.t() @ predicted
    return table.diagonal().sum() / table.sum()
