# breaks: value(loss, [[10.0, 0.0], [0.0, 10.0]], [[10.0, 0.0], [0.0, 10.0]])
import torch


def loss(z1, z2):
    sim = torch.exp(torch.einsum("id,jd->ij", z1, z2))
    return -torch.log(torch.einsum("ii->i", sim) / torch.einsum("ij->i", sim)).mean()  # expect: NAN103 no-fix
