# holds: gradient(lambda z: c51(z, torch.tensor([[0.0, 1.0]])), [[200.0, 0.0]])
import torch
import torch.nn.functional as F


def c51(z, target):
    log_p = F.log_softmax(z.view(-1, 1, 2), dim=2)[:, 0]
    return -(target * log_p).sum(1).mean()


def expected_q(z, v_min=-10.0, v_max=10.0):
    support = torch.linspace(v_min, v_max, 2)
    delta = (support.max() - support.min()) / 1
    return (F.softmax(z, -1) * support).sum(-1) / delta
