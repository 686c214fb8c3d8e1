# holds: value(aggregate, [[1.0, 2.0], [3.0, 4.0]])
import torch

NEIGHBOURS = [[0, 1], []]


def aggregate(features):
    rows = [node for node in range(len(NEIGHBOURS)) for _ in NEIGHBOURS[node]]
    columns = [other for others in NEIGHBOURS for other in others]
    mask = torch.zeros(len(NEIGHBOURS), len(features))
    mask[rows, columns] = 1
    if features.is_cuda:
        mask = mask.cuda()
    count = mask.sum(1, keepdim=True).clamp(min=1)
    mask = mask.div(count)
    return mask.mm(features)
