# breaks: value(along_rows, [[100.0, 100.0]], [[100.0, 100.0]])
# breaks: value(one_normalised, [[100.0, 0.0]], [[100.0, 0.0]])
# breaks: value(of_all_views, [[[100.0, 0.0]], [[100.0, 0.0]]], [[[100.0, 0.0]], [[100.0, 0.0]]])
# breaks: value(weighted, [[100.0, 0.0]], [[100.0, 0.0]], [[2.0]])
import torch
import torch.nn.functional as F


def along_rows(x, y, temperature=0.02):
    x, y = F.normalize(x, dim=0), F.normalize(y, dim=0)
    scores = torch.exp(torch.einsum("id,jd->ij", x, y) / temperature)
    return scores / scores.sum(-1, keepdim=True)  # expect: NAN103


def one_normalised(x, y, temperature=0.02):
    x = F.normalize(x, dim=-1)
    scores = torch.exp(torch.einsum("id,jd->ij", x, y) / temperature)
    return scores / scores.sum(-1, keepdim=True)  # expect: NAN103


def of_all_views(x, y, temperature=0.02):
    x, y = F.normalize(x, dim=-1), F.normalize(y, dim=-1)
    scores = torch.exp(torch.einsum("bid,bjd->ij", x, y) / temperature)
    return scores / scores.sum(-1, keepdim=True)  # expect: NAN103


def weighted(x, y, w, temperature=0.02):
    x, y = F.normalize(x, dim=-1), F.normalize(y, dim=-1)
    scores = torch.exp(torch.einsum("id,jd,ij->ij", x, y, w) / temperature)
    return scores / scores.sum(-1, keepdim=True)  # expect: NAN103
