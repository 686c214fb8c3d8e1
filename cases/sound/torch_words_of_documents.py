# holds: value(unit_vectors_of_second, [1.0, 2.0])
# holds: value(shares_of_second, [1.0, 2.0])
# holds: value(counted_from_one, [1.0, 2.0])
import torch

PLACES = {"loss": 0, "layer": 1}


def unit_vectors(documents, weights):
    counts = torch.zeros(len(documents), len(PLACES))
    for row, words in enumerate(documents):
        for word in words.split():
            if word not in PLACES:
                continue
            counts[row, PLACES[word]] += 1
    x = counts * weights
    return x / x.norm(dim=1, keepdim=True).clamp(min=1e-9)


def shares(documents):
    counts = torch.zeros(len(documents), len(PLACES))
    for row, words in enumerate(documents):
        for word in words.split():
            place = PLACES.get(word)
            if place is not None:
                counts[row, place] += 1
    return counts / (counts.sum(dim=1, keepdim=True) + 1e-6)


def smoothed(documents):
    counts = torch.ones(len(documents), len(PLACES))
    for row, words in enumerate(documents):
        for word in words.split():
            if word in PLACES:
                counts[row, PLACES[word]] += 1
    return counts / counts.sum(dim=1, keepdim=True)


def unit_vectors_of_second(weights):
    return unit_vectors(["loss of layer", "dough"], weights)


def shares_of_second(weights):
    return shares(["loss of layer", "dough"]) * weights


def counted_from_one(weights):
    return smoothed(["loss of layer", "dough"]) * weights
