# breaks: value(prototypes, [[1.0, 2.0, 3.0]], [[0.0, 2.0, 2.0]], [[1.0, 1.0, 0.0]])
import torch


def prototypes(features, labels, others):
    found = []
    for label in others.unique():
        chosen = (labels == label).float()
        found.append((features * chosen).sum() / chosen.sum())  # expect: NAN301 no-fix
    return torch.stack(found)
