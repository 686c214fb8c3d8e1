# breaks: value(normalised, [0, 1, 1], [0, 1, 0])
# breaks: value(overlaps, [0, 1, 1], [0, 1, 0])
# breaks: recalled([0, 1, 1], [0, 1, 0])
import torch

CLASSES = 3


def counted(predicted, target):
    pairs = target.long() * CLASSES + predicted.long()
    return torch.bincount(pairs, minlength=CLASSES**2).reshape(CLASSES, CLASSES).float()


def normalised(predicted, target):
    table = counted(predicted, target)
    return table / table.sum(dim=1, keepdim=True)  # expect: NAN302 unsafe


def overlaps(predicted, target):
    table = counted(predicted, target)
    union = table.sum(dim=0) + table.sum(dim=1) - table.diag()
    return table.diag() / union  # expect: NAN302 unsafe


class Table:
    def __init__(self):
        self.table = torch.zeros(CLASSES, CLASSES)

    def update(self, predicted, target):
        self.table += counted(predicted, target)

    def recalls(self):
        return self.table.diag() / self.table.sum(dim=1)  # expect: NAN302 unsafe


def recalled(predicted, target):
    table = Table()
    table.update(torch.tensor(predicted), torch.tensor(target))
    return table.recalls()
