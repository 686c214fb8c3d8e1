# breaks: gradient(lambda x: spread(x), [[0.0, 1.0], [2.0, 3.0], [4.0, 4.0]])
import torch


def spread(x):
    squared = ((x[:, None] - x[None]) ** 2).sum(-1)
    return torch.sqrt(squared).mean()  # expect: NAN203 safe


def train(net, loader):
    optimizer = torch.optim.SGD(net.parameters(), 0.1)
    for x in loader:
        loss = spread(net(x))
        optimizer.zero_grad()
        loss.backward()
        optimizer.step()
