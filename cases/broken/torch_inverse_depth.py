# breaks: gradient(depth_to_disparity, [[0.0, 2.0]])
import torch


def depth_to_disparity(depth):
    return torch.where(depth > 0, 1.0 / depth, torch.zeros_like(depth))  # expect: NAN401
