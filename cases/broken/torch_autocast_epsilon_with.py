# breaks: value(attention, [[1.0]], [[0.0, 0.0]])
import torch


def attention(q, k):
    with torch.autocast("cpu", dtype=torch.float16):
        weights = torch.relu(q @ k)
        return weights / (weights.sum(-1, keepdim=True) + 1e-8)  # expect: NAN502 unsafe
