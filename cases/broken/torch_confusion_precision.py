# breaks: value(precision_of, [[9.0, 0.0, 0.0]], [1])
# breaks: value(recall_of, [[9.0, 0.0, 0.0]], [1])
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
        return torch.diagonal(self.table) / self.table.sum(dim=0)  # expect: NAN302 unsafe


def precision_of(logits, labels):
    confusion = Confusion(3)
    confusion.update(logits, labels)
    return confusion.precision()


def recall_of(logits, labels):
    true = F.one_hot(labels.long(), 3).float()
    predicted = F.one_hot(logits.argmax(dim=-1), 3).float()
    table = true.t() @ predicted
    return table.diagonal() / table.sum(1)  # expect: NAN302 unsafe
