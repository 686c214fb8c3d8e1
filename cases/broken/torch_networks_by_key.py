# breaks: value(lambda x: Experts(["a", "b"])(x * torch.ones(3)), 1e4)
# breaks: value(lambda x: loss_of_first(["first"], x * torch.ones(3)), 1e4)
# breaks: value(lambda x: loss_of_first_again(["first"], x * torch.ones(3)), 1e4)
# A dictionary that a loop or a comprehension fills holds networks: any key gives one.
import torch
import torch.nn as nn


class Expert(nn.Module):
    def __init__(self):
        super().__init__()
        self.linear = nn.Linear(3, 4)

    def forward(self, x):
        return torch.softmax(self.linear(x), dim=-1)


class Experts(nn.Module):
    def __init__(self, names):
        super().__init__()
        self.experts = nn.ModuleDict()
        for name in names:
            self.experts[name] = Expert()

    def forward(self, x):
        loss = 0.0
        for name, expert in self.experts.items():
            loss = loss - torch.log(expert(x)).mean()  # expect: NAN101 no-fix
        return loss


def loss_of_first(names, x):
    experts = {}
    for name in names:
        experts[name] = Expert()
    return -torch.log(experts["first"](x)).sum()  # expect: NAN101 no-fix


def loss_of_first_again(names, x):
    experts = {name: Expert() for name in names}
    return -torch.log(experts["first"](x)).sum()  # expect: NAN101 no-fix
