# breaks: value(overlap, [0.0, 0.0, 0.0, 0.0], [0.0, 0.0, 0.0, 0.0])
import torch


def overlap(box, other):
    width = torch.min(box[2], other[2]) - torch.max(box[0], other[0])
    height = torch.min(box[3], other[3]) - torch.max(box[1], other[1])
    if width < 0 or height < 0:
        return torch.zeros(())
    inter = width * height
    area = (box[2] - box[0]) * (box[3] - box[1])
    other_area = (other[2] - other[0]) * (other[3] - other[1])
    return inter / (area + other_area - inter)  # expect: NAN309 possible
