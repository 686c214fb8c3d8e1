import numpy as np
from sklearn.metrics import confusion_matrix


def recall(labels, predictions):
    table = confusion_matrix(labels, predictions, labels=np.unique(labels))
    return np.diagonal(table) / table.sum(axis=1)


def shares(labels, predictions):
    table = confusion_matrix(labels, predictions, labels=[0, 1], normalize="true")
    return np.diagonal(table) / table.sum(axis=1)
