# holds: value(informative_loss, [[1.0, 2.0]], [[0.0, 0.0]])
import torch.nn.functional as F


def informative_loss(prediction, target):
    trivial = (target == 0).all(1)
    if trivial.all():
        return prediction.sum() * 0
    similarity = F.cosine_similarity(prediction, target, dim=1)
    return 1 - similarity[~trivial].mean()
