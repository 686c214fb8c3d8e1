# breaks: value(spread, [[1.0, 2.0]], [[0, 0]])
import numpy as np


def spread(predictions, counts):
    out_of_bag = np.array([one == 0 for one in counts + 1])
    return np.array(
        [
            np.var(predictions[out_of_bag[:, i], i])  # expect: NAN307 possible
            for i in range(predictions.shape[1])
        ]
    )
