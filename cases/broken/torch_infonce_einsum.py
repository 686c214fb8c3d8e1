# breaks: value(info_nce, [[1.0, 0.0], [0.0, 1.0]], [[1.0, 0.0], [0.0, 1.0]], [[0.0, 1.0], [1.0, 0.0]])
import torch
import torch.nn.functional as F


def info_nce(q, k, queue, T=0.007):
    q = F.normalize(q, dim=1)
    k = F.normalize(k, dim=1)
    l_pos = torch.einsum("nc,nc->n", q, k)
    l_neg = torch.einsum("nc,kc->nk", q, queue)
    pos = torch.exp(l_pos / T)
    neg = torch.exp(l_neg / T).sum(dim=1)
    return -torch.log(pos / (pos + neg)).mean()  # expect: NAN103 no-fix
