"""Weighs examples by how far off the guesses are, which nothing bounds."""

import numpy as np


def reweighed(x, y, w, slope):
    margins = x @ slope
    hits = np.mean(y == np.sign(margins))
    w *= np.exp(-y * margins)
    w /= np.sum(w)  # expect: NAN103 no-fix
    return w, hits
