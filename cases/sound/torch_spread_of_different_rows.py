# holds: gradient(lambda x: spread(x), [[0.0, 1.0], [2.0, 3.0], [4.0, 4.0]])
# holds: gradient(lambda x: spread_above(x), [[0.0, 1.0], [2.0, 3.0], [4.0, 4.0]])
import torch


def spread(x):
    squared = ((x[:, None] - x[None]) ** 2).sum(-1)
    different = ~torch.eye(len(x), dtype=torch.bool)
    return torch.sqrt(squared[different]).mean()


def spread_above(x):
    squared = ((x[:, None] - x[None]) ** 2).sum(-1)
    i, j = torch.triu_indices(len(x), len(x), offset=1)
    return torch.sqrt(squared[i, j]).mean()


def train(net, loader):
    optimizer = torch.optim.SGD(net.parameters(), 0.1)
    for x in loader:
        loss = spread(net(x)) + spread_above(net(x))
        optimizer.zero_grad()
        loss.backward()
        optimizer.step()
