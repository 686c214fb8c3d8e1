# holds: value(lambda x: mean_of_neighbours(x, torch.tensor([0, 0]), 3), [[1.0], [2.0]])
# holds: value(lambda x: weights_of_edges(x, torch.tensor([0, 0]), 3), [[1.0], [2.0]])
import torch


def mean_of_neighbours(messages, target, num_nodes):
    total = torch.zeros(num_nodes, messages.size(1)).index_add_(0, target, messages)
    count = torch.zeros(num_nodes).index_add_(0, target, torch.ones(target.size(0)))
    return total / count.clamp(min=1)[:, None]


def weights_of_edges(messages, target, num_nodes):
    count = torch.zeros(num_nodes)
    count.index_add_(0, target, torch.ones(target.size(0)))
    return messages / count[target][:, None]
