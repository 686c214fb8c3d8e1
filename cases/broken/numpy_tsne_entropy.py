# breaks: Hbeta(np.array([1e6, 2e6]))
import numpy as np


def Hbeta(D=np.array([]), beta=1.0):
    """Compute the perplexity and the P-row for a value of the precision."""
    P = np.exp(-D.copy() * beta)
    sumP = sum(P)
    H = np.log(sumP) + beta * np.sum(D * P) / sumP  # expect: NAN104 no-fix
    P = P / sumP  # expect: NAN103 no-fix
    return H, P
