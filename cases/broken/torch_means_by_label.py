# breaks: value(means, [[1.0, 2.0], [3.0, 4.0], [5.0, 6.0]], [2, 0, 2])
import torch


def means(features, labels):
    chosen = torch.nn.functional.one_hot(labels).float()
    return chosen.T @ features / torch.bincount(labels).view(-1, 1)  # expect: NAN309 no-fix


print(means(torch.rand(32, 4), torch.randint(high=750, size=(32,))))
