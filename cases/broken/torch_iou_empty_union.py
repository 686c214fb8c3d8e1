# breaks: value(pairwise_iou, [[0.0, 0.0, 0.0, 0.0]], [[0.0, 0.0, 0.0, 0.0]])
import torch


def area(boxes):
    return (boxes[:, 2] - boxes[:, 0]) * (boxes[:, 3] - boxes[:, 1])


def pairwise_iou(boxes1, boxes2):
    lt = torch.max(boxes1[:, None, :2], boxes2[:, :2])
    rb = torch.min(boxes1[:, None, 2:], boxes2[:, 2:])
    wh = (rb - lt).clamp(min=0)
    inter = wh[:, :, 0] * wh[:, :, 1]
    union = area(boxes1)[:, None] + area(boxes2) - inter
    return inter / union  # expect: NAN309 possible
