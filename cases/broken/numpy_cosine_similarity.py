# breaks: value(cosine_similarity, [0.0, 0.0], [1.0, 0.0])
import numpy as np


def cosine_similarity(a, b):
    return np.dot(a, b) / (np.linalg.norm(a) * np.linalg.norm(b))  # expect: NAN303 possible


def most_similar(word, vectors):
    scores = {w: cosine_similarity(vectors[word], v) for w, v in vectors.items()}
    return max(scores, key=scores.get)
