# breaks: gradient(lambda x: distances_by_gram(x).mean(), [[3.0, 1.0], [0.5, 2.0]])
# breaks: value(lambda x: distances(torch.sin(torch.arange(320.0)).reshape(40, 8) * x), 3.0)
# breaks: value(lambda x: smoothed(torch.sin(torch.arange(320.0)).reshape(40, 8) * x), 3.0)
# breaks: value(lambda x: contracted(torch.sin(torch.arange(320.0)).reshape(40, 8) * x), 3.0)
# breaks: value(lambda x: spread(torch.sin(torch.arange(320.0)).reshape(40, 8) * x), 3.0)
import torch


def distances(x):
    lengths = (x**2).sum(1, keepdim=True)
    return (lengths + lengths.t() - 2 * x @ x.t()).sqrt()  # expect: NAN207 no-fix


def distances_by_gram(x):
    gram = torch.mm(x, x.t())
    lengths = torch.diag(gram)
    return torch.sqrt(lengths.unsqueeze(0) + lengths.unsqueeze(1) - 2 * gram)  # expect: NAN203 unsafe


def smoothed(x):
    lengths = torch.sum(x * x, dim=-1)
    squared = lengths[:, None] - 2.0 * torch.matmul(x, x.T) + lengths[None, :]
    return torch.sqrt(squared + 1e-12)  # expect: NAN207 no-fix


def contracted(x):
    lengths = torch.einsum("ij,ij->i", x, x)
    return torch.sqrt(lengths[:, None] + lengths - 2 * torch.einsum("id,jd->ij", x, x))  # expect: NAN207 no-fix


def between(x, y):
    squared = (x**2).sum(1)[:, None] + (y**2).sum(1)[None] - 2 * x @ y.T
    return torch.sqrt(squared)  # expect: NAN207 no-fix


def spread(x):
    return between(x, x).mean()
