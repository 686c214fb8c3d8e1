import numpy as np
from sklearn.metrics import confusion_matrix


def per_class(table):
    hits = np.diagonal(table).astype(float)
    predicted = np.sum(table, axis=0)
    occurring = np.sum(table, axis=1)
    precision = hits / predicted  # expect: NAN302 unsafe
    recall = hits / occurring  # expect: NAN302 unsafe
    return precision, recall


def evaluate(labels, predictions):
    return per_class(table=confusion_matrix(labels, predictions, labels=[0, 1, 2]))
