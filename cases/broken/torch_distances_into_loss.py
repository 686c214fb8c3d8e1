# breaks: gradient(table, [[1.0, 2.0], [1.0, 2.0]])
import torch


def table(points):
    found = torch.zeros(len(points), len(points))
    for i, first in enumerate(points):
        for j, second in enumerate(points):
            found[i, j] = torch.sqrt(((first - second) ** 2).sum())  # expect: NAN203
    return found.mean()


def errors(batches, targets, optimizer):
    found = []
    for batch, target in zip(batches, targets):
        found.append(torch.sqrt(((batch - target) ** 2).sum()))  # expect: NAN203
        loss = sum(found)
        loss.backward()
        optimizer.step()
    return torch.stack(found).detach().cpu().numpy()
