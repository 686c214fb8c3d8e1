# holds: value(generalised_dice, [[[[0.5]], [[0.5]], [[0.5]]]], [[[0]]])
import torch.nn.functional as F


def generalised_dice(logits, target, epsilon=1e-6):
    prob = logits.softmax(1)
    onehot = F.one_hot(target.long(), logits.shape[1]).movedim(-1, 1).float()
    weight = onehot.sum((2, 3)).clamp(min=1.0).pow(-2)
    shared = (weight * (prob * onehot).sum((2, 3))).sum(1)
    union = (weight * (prob + onehot).sum((2, 3))).sum(1)
    return (1 - 2 * shared / (union + epsilon)).mean()


def pixels_over_classes(logits, target):
    onehot = F.one_hot(target.long(), logits.shape[1]).movedim(-1, 1).float()
    return (logits * onehot).sum(1) / onehot.sum(1)
