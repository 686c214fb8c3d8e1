# holds: value(in_parallel, [[1000.0, -1000.0, 0.0]])
# holds: value(with_checkpoint, [[1000.0, -1000.0, 0.0]])
import torch
from torch import nn
from torch.utils.checkpoint import checkpoint

head = nn.Sequential(nn.Flatten(), nn.LogSoftmax(dim=1))


def in_parallel(x):
    return nn.DataParallel(head)(x)


def on_devices(x, devices):
    return nn.parallel.data_parallel(head, x, devices)


def with_checkpoint(x):
    return checkpoint(head, x, use_reentrant=False)
