# holds: value(f1, [[0.0, 1.0]], [[1.0, 0.0]])
# holds: value(dice, [[0.0, 1.0]], [[1.0, 0.0]])
import torch


def f1(labels, predictions):
    hits = torch.sum(labels * predictions, dim=0)
    precision = hits / (torch.sum(predictions, dim=0) + 1e-7)
    recall = hits / (torch.sum(labels, dim=0) + 1e-7)
    return 1 - torch.mean(2 * precision * recall / (precision + recall + 1e-7))


def dice(labels, predictions):
    hits = torch.sum(labels * predictions, dim=0) + 1.0
    precision = hits / (torch.sum(predictions, dim=0) + 1.0)
    recall = hits / (torch.sum(labels, dim=0) + 1.0)
    return 1 - torch.mean(2 * precision * recall / (precision + recall))
