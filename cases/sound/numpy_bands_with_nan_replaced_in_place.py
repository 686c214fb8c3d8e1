# holds: value(limits_of_curve, [0.2, 0.3], [0.1, 0.2])
# holds: value(limits_of_shares, [0.2, 0.3], [0.1, 0.2])
import numpy as np


class Curve:
    def __init__(self):
        self.survival = None
        self.spread = None
        self.limits = None

    def fit(self, hazards, spread):
        self.survival = np.hstack([1.0, np.cumprod(1.0 - hazards)])
        self.spread = np.hstack([0.0, spread])

    def count_limits(self, z=1.96):
        v = np.log(self.survival)
        self.limits = np.vstack(
            [np.exp(v * np.exp(-z * self.spread / v)), np.exp(v * np.exp(z * self.spread / v))]
        ).T
        np.nan_to_num(self.limits, copy=False, nan=1)


def band(v, spread):
    limits = np.exp(v * np.exp(-1.96 * spread / v))
    np.nan_to_num(limits, copy=False, nan=1)
    return limits


def limits_of_curve(hazards, spread):
    curve = Curve()
    curve.fit(hazards, spread)
    curve.count_limits()
    return curve.limits


def limits_of_shares(hazards, spread):
    v = np.hstack([0.0, np.cumsum(np.log1p(-hazards))])
    return band(v, np.hstack([0.0, spread]))
