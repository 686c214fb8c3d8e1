# holds: value(learned, [[1.0, 2.0]], True)
# holds: value(learned, [[1.0, 2.0]], False)
# holds: value(divergence, [[-200.0, 1.0], [2.0, 3.0]], True)
# holds: value(divergence, [[-200.0, 1.0], [2.0, 3.0]], False)
import torch
import torch.nn.functional as F
from torch import nn


def deviations(net, inputs, is_stochastic):
    if is_stochastic:
        variance = net(inputs).exp().clamp(min=1e-7)
    else:
        variance = torch.zeros(3)
    return torch.sqrt(variance) + net(inputs)


def learned(inputs, is_stochastic):
    net = nn.Linear(2, 3)
    deviations(net, inputs, is_stochastic).sum().backward()
    return net.weight.grad


class Belief(nn.Module):
    def __init__(self, net, is_stochastic):
        super().__init__()
        self.net = net
        self.variances = torch.ones(3) if is_stochastic else torch.zeros(3)

    def infer(self, inputs):
        each = torch.clamp(F.softplus(self.net(inputs)), min=1e-7)
        self.variances = 1.0 / torch.sum(torch.reciprocal(each), dim=0)

    def divergence(self):
        return torch.sum(torch.stack([torch.sqrt(one) for one in torch.unbind(self.variances)]))


def divergence(inputs, is_inferred):
    belief = Belief(nn.Linear(2, 3), False)
    if is_inferred:
        belief.infer(inputs)
        belief.divergence().backward()
        return belief.net.weight.grad
    return belief.divergence()
