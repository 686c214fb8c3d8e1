# breaks: value(info_nce, [[1.0, 0.0], [0.0, 1.0]], [[1.0, 0.0], [0.0, 1.0]])
import torch
import torch.nn.functional as F


def info_nce(q, k, temperature=0.005):
    q = F.normalize(q, dim=1)
    k = F.normalize(k, dim=1)
    sim = torch.exp(q @ k.t() / temperature)
    positive = torch.diag(sim)
    return -torch.log(positive / sim.sum(dim=1)).mean()  # expect: NAN103 no-fix
