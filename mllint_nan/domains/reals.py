"""Functions of real numbers on the extended floats: the limit at ±inf, NaN outside the domain.

None of them raises. The extension to infinite arguments is that of IEEE 754-2019, clause 9.2.
"""

from __future__ import annotations

import math
from collections.abc import Callable
from math import inf, nan

Real = Callable[[float], float]


def as_float(number: float) -> float:
    try:
        return float(number)
    except OverflowError:
        return inf if number > 0 else -inf


def total(function: Real, *, overflow: float = inf, outside: float = nan) -> Real:
    """`function` of the standard library, returning values instead of raising"""

    def total(x: float) -> float:
        try:
            return function(x)
        except OverflowError:
            return overflow if x > 0 else math.copysign(overflow, function(-1.0))
        except ValueError:
            return outside

    return total


def logarithm(function: Real, pole: float = 0.0) -> Real:
    return lambda x: -inf if x == pole else nan if x < pole else function(x)


exp = total(math.exp)
log = logarithm(math.log)
log1p = logarithm(math.log1p, -1.0)
sinh = total(math.sinh)
cosh = total(math.cosh)


def exp2(x: float) -> float:
    return total(lambda power: 2.0**power)(x)


def square(x: float) -> float:
    return x * x


def cbrt(x: float) -> float:
    if x == 0.0 or math.isinf(x):
        return x
    root = abs(x) ** (1 / 3)
    return math.copysign(root - (root - abs(x) / root / root) / 3.0, x)  # Newton's last digits


def sqrt(x: float) -> float:
    return math.sqrt(x) if x >= 0.0 else nan


def rsqrt(x: float) -> float:
    return inf if x == 0.0 else 1.0 / sqrt(x)


def acosh(x: float) -> float:
    return math.acosh(x) if x >= 1.0 else nan


def atanh(x: float) -> float:
    return math.copysign(inf, x) if abs(x) == 1.0 else math.atanh(x) if abs(x) < 1.0 else nan


def asin(x: float) -> float:
    return math.asin(x) if abs(x) <= 1.0 else nan


def acos(x: float) -> float:
    return math.acos(x) if abs(x) <= 1.0 else nan


def sigmoid(x: float) -> float:
    return 1.0 / (1.0 + math.exp(-x)) if x >= 0.0 else exp(x) / (1.0 + exp(x))


def softplus(x: float) -> float:
    return max(x, 0.0) + math.log1p(math.exp(-abs(x)))


def log_sigmoid(x: float) -> float:
    return -softplus(-x)


def logit(x: float) -> float:
    return log(x) - log1p(-x) if 0.0 <= x <= 1.0 else nan


def ndtr(x: float) -> float:
    return 0.5 * math.erfc(-x / math.sqrt(2.0))


def log_ndtr(x: float) -> float:
    if x > -35.0:
        return math.log1p(-0.5 * math.erfc(x / math.sqrt(2.0))) if x > 0.0 else log(ndtr(x))
    return -x * x / 2.0 - log(-x) - 0.5 * math.log(math.tau)  # relative error below 2e-6


def elu(x: float) -> float:
    return x if x > 0.0 else math.expm1(x)


def sign(x: float) -> float:
    return float((x > 0.0) - (x < 0.0))


def integral(function: Callable[[float], float]) -> Real:
    """floor, ceil, round; infinities are unchanged"""
    return lambda x: x if math.isinf(x) else float(function(x))


def logaddexp(x: float, y: float) -> float:
    larger = max(x, y)
    return larger if math.isinf(larger) else larger + math.log1p(math.exp(-abs(x - y)))


def times(x: float, y: float) -> float:
    """x · y, but 0 for 0 · inf: NaN would add no number to a bound"""
    return 0.0 if x == 0.0 or y == 0.0 else x * y


def quotient(x: float, y: float) -> float:
    if y != 0.0:
        return x / y
    return math.copysign(inf, x) if x else nan


def power(x: float, y: float) -> float:
    if -inf < x < 0.0 and math.isfinite(y) and not float(y).is_integer():
        return nan
    try:
        return float(x**y)
    except ZeroDivisionError:
        return inf
    except OverflowError:
        return -inf if x < 0.0 and y % 2.0 == 1.0 else inf


floor = integral(math.floor)
