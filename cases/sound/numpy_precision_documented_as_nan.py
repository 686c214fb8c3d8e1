"""The comment says what the element is under which condition."""

# breaks: value(shares_kept_at_zero, np.array([2, 1]))
import numpy as np


def shares(matches):
    hits = np.cumsum(matches == 1)
    misses = np.cumsum(matches == 0)
    # If an element of hits + misses is 0,
    # the corresponding share is nan.
    return hits / (hits + misses)  # expect: NAN309 possible


def shares_kept_at_zero(matches):
    hits = np.cumsum(matches == 1)
    misses = np.cumsum(matches == 0)
    # If an element is 0, the share is not NaN but 0.
    return hits / (hits + misses)  # expect: NAN309 no-fix
