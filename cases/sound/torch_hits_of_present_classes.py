# holds: value(lambda hits: per_class(hits, torch.tensor([[3], [5], [3]])), [1.0, 0.0, 1.0])
import torch


def per_class(hits, labels):
    present = torch.unique(labels, dim=0)
    of_class = (labels.unsqueeze(1) == present.unsqueeze(0)).all(-1)
    return (hits.unsqueeze(1) * of_class).sum(0) / of_class.sum(0)
