# holds: value(lambda x: prototypes(x, torch.tensor([0, 2, 2])), [1.0, 2.0, 3.0])
import torch


def prototypes(features, labels):
    found = []
    for label in labels.unique():
        chosen = (labels == label).float()
        found.append((features * chosen).sum() / chosen.sum())
    names = sorted(set(labels.tolist()))
    for name in names:
        chosen = labels == name
        found.append(features[chosen].sum() / chosen.sum())
    return torch.stack(found)
