# breaks: value(disparity, [[-1.0, -2.0]], [[0.1, 0.1]], [[2.0, 3.0]])
import torch
import torch.nn.functional as F


def disparity(raw, dists, z):
    alpha = 1.0 - torch.exp(-F.relu(raw) * dists)
    kept = torch.cat([torch.ones((alpha.shape[0], 1)), 1.0 - alpha + 1e-10], -1)
    weights = alpha * torch.cumprod(kept, -1)[:, :-1]
    depth = torch.sum(weights * z, -1)
    return 1.0 / torch.max(1e-10 * torch.ones_like(depth), depth / torch.sum(weights, -1))  # expect: NAN302 unsafe
