# breaks: value(attend, [[1.0, 2.0], [3.0, 4.0]], [[1.0, 1.0], [1.0, 1.0]])
import torch


def attend(x, keep):
    weights = torch.relu(x @ x.t()).tril(-1) * keep
    return weights / weights.sum(-1, keepdim=True)  # expect: NAN302 unsafe
