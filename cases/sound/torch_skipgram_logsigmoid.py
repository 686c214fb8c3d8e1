# holds: gradient(skipgram_loss, [[20.0]], [[-20.0]], [[[20.0]]])
import torch
import torch.nn.functional as F


def skipgram_loss(center, context, negatives):
    score = (center * context).sum(-1)
    noise = torch.bmm(negatives, center.unsqueeze(2)).squeeze(2)
    return -(F.logsigmoid(score) + F.logsigmoid(-noise).sum(-1)).mean()
