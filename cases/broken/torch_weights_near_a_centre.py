# breaks: value(average, [[3.0], [4.0]], [0.0], 1.0)
import torch


def average(points, centre, radius):
    distance = torch.linalg.vector_norm(points - centre, dim=-1)
    weights = (1.0 - distance / radius).clamp(min=0.0)
    return (weights / weights.sum()) @ points  # expect: NAN302 unsafe
