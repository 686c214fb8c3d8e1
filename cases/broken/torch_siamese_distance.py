# breaks: gradient(contrastive, [[1.0, 2.0]], [[1.0, 2.0]], [1.0])
import torch


def contrastive(a, b, same, margin=1.0):
    distance = (a - b).pow(2).sum(1).sqrt()  # expect: NAN203
    pull = same * distance.pow(2)
    push = (1 - same) * torch.relu(margin - distance).pow(2)
    return (pull + push).mean()
