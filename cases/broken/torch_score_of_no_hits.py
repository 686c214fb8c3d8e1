# breaks: value(scored, [[1.0, 0.0]], [[1.0, 0.0]])
# breaks: value(f1, [0, 1], [1, 0])
# breaks: value(dice, [0, 0], [0, 0])
import torch


def f1(predicted, target):
    hits = ((predicted == 1) & (target == 1)).float().sum()
    precision = hits / ((predicted == 1).float().sum() + 1e-8)
    recall = hits / ((target == 1).float().sum() + 1e-8)
    return 2 * precision * recall / (precision + recall)  # expect: NAN309 no-fix


def dice(predicted, target):
    hits = ((predicted == 1) & (target == 1)).float().sum()
    wrong = ((predicted == 1) & (target == 0)).float().sum()
    missed = ((predicted == 0) & (target == 1)).float().sum()
    return 2 * hits / (2 * hits + wrong + missed)  # expect: NAN309 no-fix


class Score(torch.nn.Module):
    def __init__(self, classes):
        super().__init__()
        self.register_buffer("hits", torch.zeros(classes))
        self.register_buffer("found", torch.zeros(classes))
        self.register_buffer("there", torch.zeros(classes))

    def update(self, predicted, target):
        self.hits += (predicted * target).sum(dim=0)
        self.found += predicted.sum(dim=0)
        self.there += target.sum(dim=0)

    def compute(self):
        precision = self.hits / (self.found + 1e-6)
        recall = self.hits / (self.there + 1e-6)
        return 2 * precision * recall / (precision + recall)  # expect: NAN309 no-fix


def scored(predicted, target):
    score = Score(2)
    score.update(predicted, target)
    return score.compute()
