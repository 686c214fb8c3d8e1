# breaks: value(unit_vectors_of_second, [1.0, 2.0])
# breaks: value(unit_rows_of_second, [[1.0, 2.0], [3.0, 4.0]])
import numpy as np

PLACES = {"loss": 0, "layer": 1}


def unit_vectors(documents, weights):
    counts = np.zeros((len(documents), len(PLACES)))
    for row, words in enumerate(documents):
        for word in words.split():
            if word in PLACES:
                counts[row, PLACES[word]] += 1
    x = counts * weights
    return x / np.linalg.norm(x, axis=1, keepdims=True)  # expect: NAN303 unsafe


def unit_rows(vectors, words):
    rows = np.zeros((len(words), 2))
    for place, word in enumerate(words):
        vector = vectors.get(word)
        if vector is not None:
            rows[place] = vector
    return rows / np.linalg.norm(rows, axis=1)[:, None]  # expect: NAN303 unsafe


def unit_vectors_of_second(weights):
    return unit_vectors(["loss of layer", "dough"], weights)


def unit_rows_of_second(x):
    return unit_rows({"loss": x[0], "layer": x[1]}, ["loss", "dough"])
