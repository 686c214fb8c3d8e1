"""Expressions of single elements in more digits than any format has: where no framework has any."""

from __future__ import annotations

import math
from collections.abc import Callable, Mapping
from decimal import Context, Decimal, localcontext
from types import CodeType
from typing import Any, Final

_DIGITS: Final = ((60, 80), (200, 240))
"""What both of a pair agree on has not been cancelled; the next pair is for what has."""
_AGREE: Final = Decimal("1e-20")
_STEP: Final = Decimal("1e-60")
_LARGEST: Final = 1e4
"""Functions of more take long, and have few digits left."""
_NAN: Final = Decimal("nan")


def _log(x: Decimal) -> Decimal:
    return x.ln()


def _sigmoid(x: Decimal) -> Decimal:
    return 1 / (1 + (-x).exp())


def _softplus(x: Decimal) -> Decimal:
    return _log(1 + x.exp())


def _tanh(x: Decimal) -> Decimal:
    return 1 - 2 / (1 + (2 * x).exp())


def _where(condition: Decimal | bool, x: Decimal, y: Decimal) -> Decimal:
    return x if condition else y


def _clip(x: Decimal, *, min: Decimal | None = None, max: Decimal | None = None) -> Decimal:
    below = x if min is None or not x < min else min
    return below if max is None or not below > max else max


FUNCTIONS: Final[Mapping[str, Callable[..., Any]]] = {
    "add": lambda x, y: x + y,
    "sub": lambda x, y: x - y,
    "mul": lambda x, y: x * y,
    "div": lambda x, y: x / y,
    "neg": lambda x: -x,
    "abs": abs,
    "square": lambda x: x * x,
    "pow": lambda x, y: x**y,
    "sqrt": lambda x: x.sqrt(),
    "rsqrt": lambda x: 1 / x.sqrt(),
    "exp": lambda x: x.exp(),
    "exp2": lambda x: Decimal(2) ** x,
    "expm1": lambda x: x.exp() - 1,
    "log": _log,
    "log2": lambda x: _log(x) / _log(Decimal(2)),
    "log10": lambda x: x.log10(),
    "log1p": lambda x: _log(1 + x),
    "logaddexp": lambda x, y: _log(x.exp() + y.exp()),
    "sinh": lambda x: (x.exp() - (-x).exp()) / 2,
    "cosh": lambda x: (x.exp() + (-x).exp()) / 2,
    "tanh": _tanh,
    "asinh": lambda x: _log(x + (x * x + 1).sqrt()),
    "acosh": lambda x: _log(x + (x * x - 1).sqrt()),
    "atanh": lambda x: _log((1 + x) / (1 - x)) / 2,
    "sigmoid": _sigmoid,
    "log_sigmoid": lambda x: -_softplus(-x),
    "logit": lambda x: _log(x / (1 - x)),
    "softplus": _softplus,
    "relu": lambda x: x if x > 0 else x * 0,
    "silu": lambda x: x * _sigmoid(x),
    "maximum": lambda x, y: x if x > y else y,
    "minimum": lambda x, y: x if x < y else y,
    "clip": _clip,
    "where": _where,
    "eq": lambda x, y: x == y,
    "ne": lambda x, y: x != y,
    "lt": lambda x, y: x < y,
    "le": lambda x, y: x <= y,
    "gt": lambda x, y: x > y,
    "ge": lambda x, y: x >= y,
}
"""The canonical operations that there are here."""


def value_of(code: CodeType, inputs: Mapping[str, float]) -> float:
    """What an expression is; NaN where that is undefined, or cannot be told."""
    return _told(lambda: _evaluated(code, _exact(inputs))) if _are_small(inputs) else math.nan


def slope_of(code: CodeType, inputs: Mapping[str, float], name: str) -> float:
    """Its derivative by one input; NaN where that differs from the left and the right."""

    def sides() -> Decimal:
        here = _exact(inputs)
        middle, step = _evaluated(code, here), _STEP * max(Decimal(1), abs(here[name]))
        left, right = (
            (_evaluated(code, {**here, name: here[name] + sign * step}) - middle) / (sign * step)
            for sign in (-1, 1)
        )
        return right if abs(left - right) <= _AGREE * max(abs(left), abs(right)) else _NAN

    return _told(sides) if _are_small(inputs) else math.nan


def _exact(inputs: Mapping[str, float]) -> dict[str, Decimal]:
    return {name: Decimal(number) for name, number in inputs.items()}


def _are_small(inputs: Mapping[str, float]) -> bool:
    return all(abs(number) <= _LARGEST for number in inputs.values())


def _evaluated(code: CodeType, inputs: Mapping[str, Decimal]) -> Decimal:
    result = eval(code, {**FUNCTIONS, "number": Decimal, **inputs})
    return Decimal(result)


def _told(number: Callable[[], Decimal]) -> float:
    """A number that more digits do not change; NaN if there is none."""
    for pair in _DIGITS:
        found = []
        for digits in pair:
            with localcontext(Context(prec=digits, Emax=10**8, Emin=-(10**8), traps=[])):
                found.append(number())
        with localcontext(Context(traps=[])):
            is_same = abs(found[0] - found[1]) <= _AGREE * abs(found[1])
        if is_same:
            return float(found[1])
    return math.nan
