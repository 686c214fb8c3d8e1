# breaks: value(lambda z: nt_xent(z, z), [[10.0, 0.0], [0.0, 10.0]])
import torch


def nt_xent(z1, z2, tau=0.5):
    sim = torch.exp(torch.mm(z1, z2.t()) / tau)
    pos = torch.diag(sim)
    return -torch.log(pos / sim.sum(dim=1)).mean()  # expect: NAN103 no-fix
