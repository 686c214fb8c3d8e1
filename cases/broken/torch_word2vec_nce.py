# breaks: value(skipgram_loss, [[20.0]], [[-20.0]], [[[20.0]]])
import torch


def skipgram_loss(center, context, negatives):
    score = (center * context).sum(-1)
    noise = torch.bmm(negatives, center.unsqueeze(2)).squeeze(2)
    positive = torch.sigmoid(score).log()  # expect: NAN102
    negative = torch.sigmoid(-noise).log().sum(-1)  # expect: NAN102
    return -(positive + negative).mean()
