"""A progress bar yields what it is given: each class of the labels occurs."""

# holds: value(means, np.array([0, 2]), [1.0, 2.0])
# holds: value(means_of_numbered, np.array([0, 2]), [1.0, 2.0])
import numpy as np
from rich.progress import track


def means(labels, values):
    found = []
    for label in track(np.unique(labels), description="classes"):
        rows = np.where(labels == label)[0]
        found.append(values[rows].sum() / len(rows))
    return np.array(found)


def means_of_numbered(labels, values):
    found = np.zeros(3)
    for number, label in enumerate(track(np.unique(labels))):
        found[number] = values[labels == label].mean()
    return found
