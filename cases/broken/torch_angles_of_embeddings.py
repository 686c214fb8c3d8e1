# breaks: value(run, [[10.0, 0.0], [0.0, 10.0]], [[10.0, 1.0], [1.0, 10.0]])
import torch
from torch import nn


class PairLoss(nn.Module):
    def forward(self, anchors, negatives):
        inside = anchors[:, None, :].bmm(negatives[:, :, None]).flatten(1)
        return torch.log(torch.sum(torch.exp(inside), dim=1) + 1).mean()  # expect: NAN104 no-fix


def run(anchors, negatives):
    return PairLoss()(anchors, negatives)
