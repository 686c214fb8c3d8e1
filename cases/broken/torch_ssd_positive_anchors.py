# breaks: value(lambda p: multibox(p, torch.zeros(2, 4), torch.tensor([0, 0])), [[1.0, 2.0, 3.0, 4.0], [1.0, 2.0, 3.0, 4.0]])
import torch
import torch.nn.functional as F


def multibox(pred_boxes, true_boxes, classes):
    positive = classes > 0
    return F.smooth_l1_loss(pred_boxes[positive], true_boxes[positive])  # expect: NAN307 no-fix
