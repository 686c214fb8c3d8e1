# breaks: value(triplet, [[0.0, 0.0]], [[0.0, 0.1]], [[3.0, 3.0]])
import torch
import torch.nn.functional as F


def triplet(anchor, positive, negative):
    near = F.pairwise_distance(anchor, positive)
    far = F.pairwise_distance(anchor, negative)
    loss = F.relu(near - far + 0.2)
    return loss.sum() / (loss > 0).sum()  # expect: NAN301


def train(model, loader):
    optimizer = torch.optim.Adam(model.parameters())
    for a, p, n in loader:
        loss = triplet(model(a), model(p), model(n))
        loss.backward()
        optimizer.step()
