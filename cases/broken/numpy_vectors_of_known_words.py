# breaks: value(lambda x: mean_vector(["loss"], {"layer": x}), [1.0, 2.0])
# breaks: value(lambda x: mean_of_appended(["loss"], {"layer": x}), [1.0, 2.0])
# breaks: value(lambda x: centroid(["loss"], Vectors({"layer": x})), [1.0, 2.0])
# breaks: value(lambda x: mean_by_hand(["loss"], {"layer": x}), [1.0, 2.0])
# breaks: value(lambda x: direction(["loss"], {"layer": x}), [1.0, 2.0])
import numpy as np


class Vectors:
    def __init__(self, rows):
        self.rows = rows

    def get(self, word):
        return self.rows.get(word)


def mean_vector(words, vectors):
    return np.mean([vectors[word] for word in words if word in vectors], axis=0)  # expect: NAN307 no-fix


def mean_of_appended(words, vectors):
    rows = []
    for word in words:
        if word in vectors:
            rows.append(vectors[word])
    return np.array(rows).mean(axis=0)  # expect: NAN307 no-fix


def centroid(words, vectors):
    rows = []
    for word in words:
        row = vectors.get(word)
        if row is not None:
            rows.append(row)
    total = sum(rows)
    return total / np.linalg.norm(total)  # expect: NAN303 unsafe


def mean_by_hand(words, vectors):
    total = np.zeros(2)
    count = 0
    for word in words:
        if word in vectors:
            total += vectors[word]
            count += 1
    return total / count  # expect: NAN309 no-fix


def direction(words, vectors):
    total = np.zeros(2)
    for word in words:
        if word in vectors:
            total += vectors[word]
    return total / np.linalg.norm(total)  # expect: NAN303 unsafe
