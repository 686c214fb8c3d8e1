"""Expressions of rows in more digits than any float format has, for results no framework has."""

from __future__ import annotations

import math
from collections.abc import Callable, Mapping
from decimal import Context, Decimal, getcontext, localcontext
from functools import lru_cache
from types import CodeType
from typing import Any, Final

_DIGITS: Final = ((60, 80), (200, 240))
"""Pairs of precisions: digits on which both agree are not cancelled; else the next is tried."""
_AGREE: Final = Decimal("1e-20")
_STEP: Final = Decimal("1e-20")
_BOTH_SIDES: Final = Decimal("1e-10")
"""How close both difference quotients must be to count as one derivative."""
LARGEST: Final = 1e7
"""Functions of larger numbers take long, and have no digits left."""
_NAN: Final = Decimal("nan")
_REMEMBERED_MOST: Final = 1 << 13


def _remembered(function: Callable[[Decimal], Decimal]) -> Callable[[Decimal], Decimal]:
    """Cache a function: a difference moves one element of a row, and fixes share their rows.

    A result depends only on the number and the number of digits.
    """

    @lru_cache(_REMEMBERED_MOST)
    def known(x: Decimal, digits: int) -> Decimal:
        return function(x)

    return lambda x: known(x, getcontext().prec)


_exp = _remembered(Decimal.exp)
_log = _remembered(Decimal.ln)


def _sigmoid(x: Decimal) -> Decimal:
    return 1 / (1 + _exp(-x))


def _softplus(x: Decimal) -> Decimal:
    return _log(1 + _exp(x))


def _tanh(x: Decimal) -> Decimal:
    return 1 - 2 / (1 + _exp(2 * x))


def _where(condition: Decimal, x: Decimal, y: Decimal) -> Decimal:
    return x if condition else y


def _clip(x: Decimal, *, min: Decimal | None = None, max: Decimal | None = None) -> Decimal:
    below = x if min is None or not x < min else min
    return below if max is None or not below > max else max


_OF_ELEMENTS: Final[Mapping[str, Callable[..., Any]]] = {
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
    "exp": _exp,
    "exp2": lambda x: Decimal(2) ** x,
    "expm1": lambda x: _exp(x) - 1,
    "log": _log,
    "log2": lambda x: _log(x) / _log(Decimal(2)),
    "log10": lambda x: x.log10(),
    "log1p": lambda x: _log(1 + x),
    "logaddexp": lambda x, y: _log(_exp(x) + _exp(y)),
    "sinh": lambda x: (_exp(x) - _exp(-x)) / 2,
    "cosh": lambda x: (_exp(x) + _exp(-x)) / 2,
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
    "eq": lambda x, y: Decimal(x == y),
    "ne": lambda x, y: Decimal(x != y),
    "lt": lambda x, y: Decimal(x < y),
    "le": lambda x, y: Decimal(x <= y),
    "gt": lambda x, y: Decimal(x > y),
    "ge": lambda x, y: Decimal(x >= y),
}


def _lifted(function: Callable[..., Any]) -> Callable[..., Any]:
    """Return a function of rows from a function of single elements."""

    def lifted(*operands: Any, **settings: Any) -> Any:
        rows = [operand for operand in operands if isinstance(operand, tuple)]
        if not rows:
            return function(*operands, **settings)
        count = max(map(len, rows))
        each = [one if isinstance(one, tuple) else (one,) * count for one in operands]
        return tuple(function(*elements, **settings) for elements in zip(*each, strict=True))

    return lifted


def _row(numbers: Any) -> tuple[Decimal, ...]:
    return numbers if isinstance(numbers, tuple) else (numbers,)


def _logsumexp(x: Any) -> Decimal:
    return _log(sum((_exp(one) for one in _row(x)), Decimal(0)))


REDUCTIONS: Final[Mapping[str, Callable[..., Any]]] = {
    "sum": lambda x: sum(_row(x), Decimal(0)),
    "mean": lambda x: sum(_row(x), Decimal(0)) / len(_row(x)),
    "prod": lambda x: math.prod(_row(x), start=Decimal(1)),
    "max": lambda x: max(_row(x)),
    "min": lambda x: min(_row(x)),
    "logsumexp": _logsumexp,
    "softmax": lambda x: _lifted(lambda one: _exp(one - _logsumexp(x)))(x),
    "log_softmax": lambda x: _lifted(lambda one: one - _logsumexp(x))(x),
}
"""Reductions of a row, which has one axis."""
FUNCTIONS: Final[Mapping[str, Callable[..., Any]]] = {
    **{name: _lifted(each) for name, each in _OF_ELEMENTS.items()},
    **REDUCTIONS,
}
"""The canonical operations that are supported here."""
Row = tuple[float, ...]
"""The elements of an input; a single one if it is not a row."""


def value_of(code: CodeType, inputs: Mapping[str, Row], index: int) -> float:
    """Return an element of an expression; NaN if it is undefined or cannot be decided."""
    return _told(lambda: _row(_evaluated(code, _exact(inputs)))[index])


def slope_of(
    code: CodeType, inputs: Mapping[str, Row], seeds: Row, moved: tuple[str, int]
) -> float:
    """Return the derivative of the weighted sum by an element of an input; NaN at a kink."""

    def weighted(by: Decimal) -> Decimal:
        name, index = moved
        here = _exact(inputs)
        row = [*_row(here[name])]
        row[index] += by
        here[name] = tuple(row) if len(row) > 1 else row[0]
        result = _row(_evaluated(code, here))
        parts = (Decimal(seed) * one for seed, one in zip(seeds, result, strict=True))
        return sum(parts, Decimal(0))

    def sides() -> Decimal:
        step = _STEP * max(Decimal(1), abs(Decimal(inputs[moved[0]][moved[1]])))
        middle = weighted(Decimal(0))
        left, right = ((weighted(sign * step) - middle) / (sign * step) for sign in (-1, 1))
        return right if abs(left - right) <= _BOTH_SIDES * max(abs(left), abs(right)) else _NAN

    return _told(sides)


def _exact(inputs: Mapping[str, Row]) -> dict[str, Any]:
    rows = {name: tuple(map(Decimal, row)) for name, row in inputs.items()}
    return {name: row if len(row) > 1 else row[0] for name, row in rows.items()}


def _evaluated(code: CodeType, inputs: Mapping[str, Any]) -> Any:
    return eval(code, {**FUNCTIONS, "number": Decimal, **inputs})


def _told(number: Callable[[], Decimal]) -> float:
    """Return a number that more digits do not change; NaN if there is none."""
    for pair in _DIGITS:
        found = []
        for digits in pair:
            with localcontext(Context(prec=digits, Emax=10**8, Emin=-(10**8), traps=[])):
                try:
                    found.append(number())
                except (IndexError, ValueError):  # rows of lengths that do not match
                    return math.nan
        with localcontext(Context(traps=[])):
            is_same = abs(found[0] - found[1]) <= _AGREE * abs(found[1])
        if is_same:
            return float(found[1])
    return math.nan
