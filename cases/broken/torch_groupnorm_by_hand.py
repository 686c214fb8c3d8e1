# breaks: value(group_norm, [[[[1.0]], [[1.0]]]])
import torch


def group_norm(x, groups=1):
    n, c, h, w = x.shape
    x = x.view(n, groups, -1)
    mean = x.mean(-1, keepdim=True)
    var = x.var(-1, unbiased=False, keepdim=True)
    x = (x - mean) / torch.sqrt(var)  # expect: NAN304 unsafe; NAN203 unsafe
    return x.view(n, c, h, w)
