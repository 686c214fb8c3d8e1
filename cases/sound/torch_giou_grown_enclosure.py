# holds: value(gap, [[0.0, 0.0, 0.0, 0.0]], [[0.0, 0.0, 0.0, 0.0]])
import torch


def gap(boxes, others, eps=1e-5):
    lt = torch.min(boxes[:, :2], others[:, :2])
    rb = torch.max(boxes[:, 2:], others[:, 2:])
    wh = (rb - lt + eps).clamp(min=0)
    enclosure = wh[:, 0] * wh[:, 1]
    area = (boxes[:, 2] - boxes[:, 0]) * (boxes[:, 3] - boxes[:, 1])
    return (enclosure - area) / enclosure


loss = gap(torch.rand(8, 4, requires_grad=True), torch.rand(8, 4)).mean()
loss.backward()
