# breaks: value(in_parallel, [[1000.0, -1000.0, 0.0]])
# breaks: value(with_checkpoint, [[1000.0, -1000.0, 0.0]])
# breaks: value(with_script, [[1000.0, -1000.0, 0.0]])
import torch
from torch import nn
from torch.utils.checkpoint import checkpoint

head = nn.Sequential(nn.Flatten(), nn.Softmax(dim=1))


def in_parallel(x):
    return nn.DataParallel(head)(x).log()  # expect: NAN101 no-fix


def on_devices(x, devices):
    return torch.log(nn.parallel.data_parallel(head, x, devices))  # expect: NAN101 no-fix


def with_checkpoint(x):
    return torch.log(checkpoint(head, x, use_reentrant=False))  # expect: NAN101 no-fix


@torch.jit.script
def probabilities(x):
    return torch.softmax(x, dim=1)


def with_script(x):
    return torch.log(probabilities(x))  # expect: NAN101
