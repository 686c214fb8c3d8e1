# holds: gradient(lambda z: nt_xent(z, z), [[10.0, 0.0], [0.0, 10.0]])
import torch
import torch.nn.functional as F


def nt_xent(z1, z2, tau=0.5):
    z1, z2 = F.normalize(z1, dim=1), F.normalize(z2, dim=1)
    sim = torch.exp(torch.mm(z1, z2.t()) / tau)
    pos = torch.diag(sim)
    return -torch.log(pos / sim.sum(dim=1)).mean()
