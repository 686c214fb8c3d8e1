# breaks: value(generalised_dice, [[[[0.5]], [[0.5]], [[0.5]]]], [[[0]]])
import torch
import torch.nn.functional as F


def generalised_dice(logits, target, epsilon=1e-6):
    prob = logits.softmax(1)
    onehot = F.one_hot(target.long(), logits.shape[1]).movedim(-1, 1).float()
    weight = onehot.sum((2, 3)).pow(-2)  # expect: NAN302 unsafe
    shared = (weight * (prob * onehot).sum((2, 3))).sum(1)
    union = (weight * (prob + onehot).sum((2, 3))).sum(1)
    return (1 - 2 * shared / (union + epsilon)).mean()
