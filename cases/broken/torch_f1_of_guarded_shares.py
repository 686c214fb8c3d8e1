# breaks: value(f1, [[0.0, 1.0]], [[1.0, 0.0]])
import torch


def f1(labels, predictions):
    hits = torch.sum(labels * predictions, dim=0)
    precision = hits / (torch.sum(predictions, dim=0) + 1e-7)
    recall = hits / (torch.sum(labels, dim=0) + 1e-7)
    return 1 - torch.mean(2 * precision * recall / (precision + recall))  # expect: NAN309 no-fix


def f2(labels, predictions):
    hits = torch.sum(labels * predictions, dim=0)
    precision = hits / torch.clamp(torch.sum(predictions, dim=0), min=1.0)
    recall = hits / torch.clamp(torch.sum(labels, dim=0), min=1.0)
    return 1 - torch.mean(5 * precision * recall / (4 * precision + recall))  # expect: NAN309 no-fix
