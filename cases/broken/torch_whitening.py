# breaks: value(lambda x: whitened(torch.sin(torch.arange(30.0)).reshape(5, 6) * x), 1.0)
import torch


def whitened(x):
    centred = x - x.mean(0, keepdim=True)
    values, vectors = torch.linalg.eigh(centred.t() @ centred / (len(x) - 1))
    return centred @ vectors @ torch.diag(values.pow(-0.5)) @ vectors.t()  # expect: NAN207 no-fix
