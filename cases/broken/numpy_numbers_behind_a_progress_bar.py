"""A progress bar yields what it is given: some of these numbers are no class that occurs."""

# breaks: value(means_of_any, np.array([0, 2]), [1.0, 2.0])
import numpy as np
from rich.progress import track


def means_of_any(labels, values):
    found = []
    for label in track(range(3)):
        rows = np.where(labels == label)[0]
        found.append(values[rows].sum() / len(rows))  # expect: NAN301 safe
    return np.array(found)
