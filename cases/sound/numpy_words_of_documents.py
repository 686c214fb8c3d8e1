# holds: value(unit_vectors_of_second, [1.0, 2.0])
# holds: value(unit_rows_of_second, [[1.0, 2.0], [3.0, 4.0]])
# holds: value(unit_affinities, [[1.0], [2.0]])
# holds: value(unit_sides, [-1.0, 2.0])
import numpy as np

PLACES = {"loss": 0, "layer": 1}


def unit_vectors(documents, weights):
    counts = np.zeros((len(documents), len(PLACES)))
    for row, words in enumerate(documents):
        for word in words.split():
            if word in PLACES:
                counts[row, PLACES[word]] += 1
    x = counts * weights
    return x / np.maximum(np.linalg.norm(x, axis=1, keepdims=True), 1e-9)


def unit_rows(vectors, words):
    rows = np.zeros((len(words), 3))
    for place, word in enumerate(words):
        rows[place, 2] = 1.0
        if word in vectors:
            rows[place, :2] = vectors[word]
    return rows / np.linalg.norm(rows, axis=1)[:, None]


def unit_affinities(x):
    near = np.zeros((len(x), len(x)))
    for i in range(len(x)):
        for j in range(len(x)):
            if i != j:
                near[i, j] = np.exp(-np.abs(x[i] - x[j]).sum())
    return near / np.linalg.norm(near, axis=1)[:, None]


def unit_sides(x):
    sides = np.zeros((len(x), 2))
    for place, value in enumerate(x):
        if value in (0.0, 2.0):
            sides[place, 0] = 1.0
        else:
            sides[place, 1] = 1.0
    return sides / np.linalg.norm(sides, axis=1)[:, None]


def unit_vectors_of_second(weights):
    return unit_vectors(["loss of layer", "dough"], weights)


def unit_rows_of_second(x):
    return unit_rows({"loss": x[0], "layer": x[1]}, ["loss", "dough"])
