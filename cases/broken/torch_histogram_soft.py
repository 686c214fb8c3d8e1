# breaks: gradient(loss, [[0.0, 0.1, 0.2]], [[0.1, 0.2, 0.9]])
import torch

BINS = torch.linspace(0, 1, 8)


def histogram(image, width=0.02):
    away = (image.flatten(1)[..., None] - BINS) / width
    shares = torch.softmax(-0.5 * away.square(), dim=-1)
    return shares.mean(dim=1)


def distance(p, q):
    return (torch.sqrt(p) - torch.sqrt(q)).square().sum()  # expect: NAN203 unsafe; NAN203 unsafe


def loss(image, reference):
    return distance(histogram(image), histogram(reference))
