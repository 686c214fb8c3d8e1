# holds: value(lambda x: mean_vector(["loss"], {"layer": x}), [1.0, 2.0])
# holds: value(lambda x: mean_or_zeros(["loss"], {"layer": x}), [1.0, 2.0])
# holds: value(lambda x: mean_of_appended(["loss"], {"layer": x}), [1.0, 2.0])
# holds: value(lambda x: mean_if_any(["loss"], {"layer": x}), [1.0, 2.0])
# holds: value(lambda x: centroid(["loss"], {"layer": x}), [1.0, 2.0])
# holds: value(lambda x: mean_by_hand(["loss"], {"layer": x}), [1.0, 2.0])
# holds: value(lambda x: mean_of_all(["layer"], {"layer": x}), [1.0, 2.0])
# holds: value(lambda x: means_of_texts([["loss"]], Vectors({"layer": x})), [1.0, 2.0])
# holds: value(lambda x: means_of_texts_by_loop([["loss"]], Vectors({"layer": x})), [1.0, 2.0])
# holds: value(lambda x: norm_of_gradients([Weight(x), Weight(None)]), [1.0, 2.0])
import numpy as np


def mean_vector(words, vectors):
    known = [vectors[word] for word in words if word in vectors]
    if len(known) == 0:
        return np.zeros(2)
    return np.mean(known, axis=0)


def mean_or_zeros(words, vectors):
    return np.mean([vectors[word] for word in words if word in vectors] or [np.zeros(2)], axis=0)


def mean_of_appended(words, vectors):
    rows = []
    for word in words:
        if word in vectors:
            rows.append(vectors[word])
    if not rows:
        rows.append(np.zeros(2))
    return np.array(rows).mean(axis=0)


def mean_if_any(words, vectors):
    known = [vectors[word] for word in words if word in vectors]
    return np.mean(known, axis=0) if known else np.zeros(2)


def centroid(words, vectors):
    total = np.zeros(2)
    for word in words:
        if word in vectors:
            total += vectors[word]
    return total / max(np.linalg.norm(total), 1e-8)


def mean_by_hand(words, vectors):
    total = np.zeros(2)
    count = 0
    for word in words:
        if word in vectors:
            total += vectors[word]
            count += 1
    return total / max(count, 1)


def mean_of_all(words, vectors):
    return np.mean([vectors[word] for word in words], axis=0)


class Weight:
    def __init__(self, grad):
        self.grad = grad


def norm_of_gradients(weights):
    return np.mean([np.linalg.norm(one.grad) for one in weights if one.grad is not None])


class Vectors:
    def __init__(self, known):
        self.known = known

    def of(self, word):
        return self.known[word]


def means_of_texts(texts, vectors):
    means = []
    for words in texts:
        found = [vectors.of(word) for word in words if word in vectors.known]
        if len(found) > 0:
            means.append(np.mean(found, axis=0))
        else:
            means.append(np.zeros(2))
    return np.array(means)


def means_of_texts_by_loop(texts, vectors):
    means = []
    for words in texts:
        found = []
        for word in words:
            if word in vectors.known:
                found.append(vectors.of(word))
        if len(found) == 0:
            means.append(np.zeros(2))
            continue
        means.append(np.mean(found, axis=0))
    return np.array(means)
