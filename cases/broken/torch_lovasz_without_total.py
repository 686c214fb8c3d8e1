# breaks: value(lovasz, [0.2, 0.3, 0.4], [0, 1, 1])
import torch


def slopes(present):
    total = present.sum()
    left = total - present.float().cumsum(0)
    union = (1 - present).float().cumsum(0)
    jaccard = 1.0 - left / union  # expect: NAN309 no-fix
    jaccard[1:] = jaccard[1:] - jaccard[:-1]
    return jaccard


def lovasz(probabilities, labels):
    present = (labels == 1).float()
    errors, order = torch.sort((present - probabilities).abs(), 0, descending=True)
    return torch.dot(errors, slopes(present[order]))
