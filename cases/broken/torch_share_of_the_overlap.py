# breaks: value(gap, [[0.0, 0.0, 1.0, 1.0]], [[2.0, 2.0, 3.0, 3.0]])
import torch


def gap(boxes, others, eps=1e-5):
    lt = torch.max(boxes[:, :2], others[:, :2])
    rb = torch.min(boxes[:, 2:], others[:, 2:])
    wh = (rb - lt + eps).clamp(min=0)
    overlap = wh[:, 0] * wh[:, 1]
    area = (boxes[:, 2] - boxes[:, 0]) * (boxes[:, 3] - boxes[:, 1])
    return (area - overlap) / overlap  # expect: NAN309 no-fix


loss = gap(torch.rand(8, 4, requires_grad=True), torch.rand(8, 4)).mean()
loss.backward()
