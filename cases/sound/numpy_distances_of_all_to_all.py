# holds: value(scaled, [[0.0, 2.0]], [[0.0]], [[0.0, 3.0], [3.0, 0.0]])
# The largest of a column is that of one point to all others, itself among them.
import numpy as np


def scaled(across, queries, gallery):
    distances = np.concatenate(
        [np.concatenate([queries, across], axis=1), np.concatenate([across.T, gallery], axis=1)],
        axis=0,
    )
    distances = np.power(distances, 2).astype(np.float32)
    return distances / np.max(distances, axis=0)
