# breaks: shares([[-1.0, -2.0], [1.0, 2.0]])
import torch


def shares(scores):
    weights = torch.relu(torch.as_tensor(scores))
    return weights / weights.nansum(dim=-1, keepdim=True)  # expect: NAN302 unsafe
