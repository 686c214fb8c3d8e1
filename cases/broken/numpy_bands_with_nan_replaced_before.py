# breaks: value(limits_of_shares, [0.2, 0.3], [0.1, 0.2])
import numpy as np


def band(v, spread):
    np.nan_to_num(spread, copy=False, nan=1)
    limits = np.exp(v * np.exp(-1.96 * spread / v))  # expect: NAN309 no-fix
    return limits


def limits_of_shares(hazards, spread):
    v = np.hstack([0.0, np.cumsum(np.log1p(-hazards))])
    return band(v, np.hstack([0.0, spread]))
