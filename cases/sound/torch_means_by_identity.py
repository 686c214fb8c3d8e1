# holds: value(means, [[1.0, 2.0], [3.0, 4.0], [5.0, 6.0]], [7, 3, 7])
import torch


def means(features, labels):
    identities, places = torch.unique(labels, return_inverse=True)
    chosen = torch.nn.functional.one_hot(places, num_classes=len(identities)).float()
    return chosen.T @ features / torch.bincount(places).view(-1, 1)


print(means(torch.rand(32, 4), torch.randint(high=750, size=(32,))))
