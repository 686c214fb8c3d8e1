# breaks: value(lambda x: within(x, np.array([3, 1, 3]), 5), [[1.0], [2.0], [3.0]])
# breaks: value(lambda x: of_places(x), [1.0, 2.0])
import numpy as np


def within(x, y, count):
    _, codes = np.unique(y, return_inverse=True)
    total = 0.0
    for c in range(count):
        members = x[codes == c]
        total += (members**2).sum() / members.shape[0]  # expect: NAN301
    return total


def of_places(x):
    places = np.where(x > 8)[0]
    return x[places].sum() / len(places)  # expect: NAN301
