# breaks: value(normalize_adj, [[0.0, 0.0], [0.0, 1.0]])
import numpy as np


def normalize_adj(adj):
    rowsum = np.array(adj.sum(1))
    d_inv_sqrt = np.power(rowsum, -0.5).flatten()  # expect: NAN306 unsafe
    d_mat_inv_sqrt = np.diag(d_inv_sqrt)
    return adj.dot(d_mat_inv_sqrt).transpose().dot(d_mat_inv_sqrt)
