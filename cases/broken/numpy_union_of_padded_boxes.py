# breaks: value(shared, [[1.0, 1.0, 2.0, 2.0]], [[1.0, 1.0, 2.0, 2.0]])
import numpy as np

MOST = 4


def filled_up(boxes):
    padded = np.zeros((MOST, 4))
    padded[: len(boxes)] = boxes
    return padded


def overlap(a, b):
    width = np.maximum(np.minimum(a[:, 2], b[:, 2]) - np.maximum(a[:, 0], b[:, 0]), 0)
    height = np.maximum(np.minimum(a[:, 3], b[:, 3]) - np.maximum(a[:, 1], b[:, 1]), 0)
    inter = width * height
    area_a = (a[:, 2] - a[:, 0]) * (a[:, 3] - a[:, 1])
    area_b = (b[:, 2] - b[:, 0]) * (b[:, 3] - b[:, 1])
    return inter / (area_a + area_b - inter)  # expect: NAN309 no-fix


def shared(found, truths):
    return overlap(filled_up(found), filled_up(truths)).mean()
