# holds: value(lambda e: edge_softmax(e, torch.tensor([0, 0, 1]), 2), [100.0, 1.0, 2.0])
# holds: value(lambda e: by_largest(e, torch.tensor([0, 0, 1]), 2), [100.0, 1.0, 2.0])
# holds: value(lambda e: bounded(e, torch.tensor([0, 0, 1]), 2), [100.0, 1.0, 2.0])
# holds: value(lambda e: decay(e, torch.tensor([0, 0, 1]), 2), [100.0, 1.0, 2.0])
import torch


def edge_softmax(scores, target, nodes):
    largest = torch.full((nodes,), -torch.inf)
    largest = largest.scatter_reduce(0, target, scores, reduce="amax", include_self=True)
    weights = torch.exp(scores - largest[target])
    total = torch.zeros(nodes).scatter_add_(0, target, weights)
    return weights / total[target]


def by_largest(scores, target, nodes):
    weights = torch.exp(scores - scores.max())
    total = torch.zeros(nodes).index_add_(0, target, weights)
    return weights / (total[target] + 1e-16)


def bounded(scores, target, nodes):
    weights = torch.exp(torch.tanh(scores))
    total = torch.zeros(nodes).scatter_add_(0, target, weights)
    return weights / total[target]


def decay(lengths, target, nodes):
    weights = torch.exp(-lengths.abs() / 100)
    total = torch.zeros(nodes).scatter_add_(0, target, weights)
    return weights / total[target]
