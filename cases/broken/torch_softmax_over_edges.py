# breaks: value(lambda e: edge_softmax(e, torch.tensor([0, 0, 1]), 2), [100.0, 1.0, 2.0])
# breaks: value(lambda e: with_epsilon(e, torch.tensor([0, 0, 1]), 2), [100.0, 1.0, 2.0])
import torch
import torch.nn.functional as F


def edge_softmax(scores, target, nodes):
    weights = torch.exp(F.leaky_relu(scores, 0.2))
    total = torch.zeros(nodes).scatter_add_(0, target, weights)
    return weights / total[target]  # expect: NAN103 no-fix


def with_epsilon(scores, target, nodes):
    weights = scores.exp()
    total = torch.zeros(nodes, device=scores.device)
    total = total.index_add(0, target, weights)
    return weights / (total.index_select(0, target) + 1e-16)  # expect: NAN103 no-fix
