# holds: value(lambda x: within(x, np.array([3, 1, 3])), [[1.0], [2.0], [3.0]])
# holds: value(lambda x: share(x, np.array([3, 1, 3])), [[1.0], [2.0], [3.0]])
# holds: value(lambda x: of_places(x), [1.0, 2.0])
import numpy as np


def within(x, y):
    classes, y = np.unique(y, return_inverse=True)
    total = 0.0
    for c in range(len(classes)):
        members = x[y == c]
        total += (members**2).sum() / members.shape[0]
    return total


def share(x, y):
    classes, codes = np.unique(y, return_inverse=True)
    count = classes.shape[0]
    return sum((x[codes == c] ** 2).sum() / (codes == c).sum() for c in range(count))


def of_places(x):
    """The length of a tuple, which has places along each axis."""
    places = np.where(x > 8)
    return x[places].sum() / len(places)
