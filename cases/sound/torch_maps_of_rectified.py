# holds: value(lambda x: transfer(x), [[[[-1.0, -2.0]]]])
import torch
import torch.nn.functional as F


def attention_map(f):
    a = F.relu(f).pow(2).mean(1).flatten(1)
    return a / (a.sum(1, keepdim=True) + 1e-8) + a / a.sum(1, keepdim=True).clamp(min=1e-8)


def of_probabilities(f):
    a = torch.sigmoid(f).pow(2).mean(1).flatten(1)
    return a / a.sum(1, keepdim=True)


def gram(f):
    f = F.relu(f).flatten(2)
    g = f @ f.transpose(1, 2)
    return F.normalize(g.flatten(1)) + g.flatten(1) / (g.norm(dim=(1, 2), keepdim=True)[:, 0] + 1e-6)


def transfer(x):
    return attention_map(x).sum() + of_probabilities(x).sum() + gram(x).sum()


def train(student, loader, optimizer):
    for x in loader:
        transfer(student(x)).backward()
        optimizer.step()
