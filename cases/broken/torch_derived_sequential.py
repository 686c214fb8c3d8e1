# breaks: value(lambda x: entropy(Gate(2), x), [[1000.0, 0.0], [-1000.0, 0.0]])
import torch
from torch import nn


class Gate(nn.Sequential):
    def __init__(self, size):
        super().__init__(nn.Linear(size, 1, bias=False), nn.Sigmoid())
        nn.init.ones_(self[0].weight)


def entropy(gate, x):
    p = gate(x)
    return -torch.log(p).mean()  # expect: NAN102 no-fix


def train(batches):
    gate = Gate(2)
    optimizer = torch.optim.Adam(gate.parameters())
    for x in batches:
        loss = -torch.log(gate(x)).mean()  # expect: NAN102 no-fix
        optimizer.zero_grad()
        loss.backward()
        optimizer.step()
        print(entropy(gate, x))
