# holds: Hbeta(np.array([1e6, 2e6]))
import numpy as np


def Hbeta(D, beta=1.0):
    P = np.exp(-D * beta)
    sumP = np.maximum(np.sum(P), 1e-12)
    H = np.log(sumP) + beta * np.sum(D * P) / sumP
    return H, P / sumP
