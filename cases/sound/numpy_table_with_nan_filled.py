import numpy as np


def shares(table):
    table = np.maximum(table - table.min(0), 0)
    return (table / table.max(0)).fillna(0)
