"""What a bound on the result of an operation says about its operand.

Constraint propagation through monotone functions: Benhamou and Older, "Applying interval arithmetic
to real, integer, and boolean constraints" (Journal of Logic Programming, 1997).
"""

from __future__ import annotations

import math
from collections.abc import Callable, Mapping
from typing import Final, TypeAlias

from mllint_nan.domains.dtype import FORMATS
from mllint_nan.domains.interval import INF, Interval
from mllint_nan.domains.restriction import Restriction
from mllint_nan.flow.formats import dtype_of
from mllint_nan.ir.term import Term, number_of, peel

_Inverse: TypeAlias = Callable[[float], float]
_ROUNDED: Final = 2.0**-7
"""More than the relative rounding error of any format and implementation."""
_INVERSES: Final[Mapping[str, _Inverse]] = {
    "sigmoid": lambda p: math.log(p) - math.log1p(-p),
    "tanh": math.atanh,
    "exp": math.log,
    "neg": lambda x: -x,
}
_MAGNITUDES: Final = frozenset(("abs", "square", "exp", "relu", "sqrt", "sigmoid", "softplus"))
_ZERO: Final = frozenset({0.0})
_NONE: Final = frozenset[float]()


def inverted(term: Term, found: Restriction) -> tuple[Term, Restriction] | None:
    """Return the operand that a restriction of a term restricts, and its own restriction."""
    name, span = term.operation.name, found.interval
    inverse = _INVERSES.get(name)
    if inverse is not None:
        rounded = 4.0 * FORMATS.get(dtype_of(term), FORMATS["bfloat16"]).eps
        return term.operands[0], _through(inverse, found, is_falling=name == "neg", rounded=rounded)
    if name in ("mul", "div"):
        return _scaled(term, found)
    if name in ("add", "sub"):
        return _shifted(term, found)
    source = term.operands[0]
    if name in ("sqrt", "square"):
        return source, _of_power(found, name == "sqrt")
    if name == "norm" and 0.0 <= span.hi < INF:
        return source, Restriction(Interval(-span.hi, span.hi), number=found.number)
    if name in ("sum", "max") and 0.0 <= span.hi < INF and _is_magnitude(source):
        return source, Restriction(Interval(-INF, span.hi), number=found.number)
    return None


def _is_magnitude(term: Term) -> bool:
    """Whether a term is never below 0, so that a sum of it is at least each element."""
    inner = peel(term)
    while inner.operands and (
        inner.operation.name in ("sum", "max") or inner.operation.kind == "view"
    ):
        inner = peel(inner.operands[0])
    return inner.operation.name in _MAGNITUDES


def _through(
    inverse: _Inverse, found: Restriction, *, is_falling: bool, rounded: float
) -> Restriction:
    """Move each bound outwards by the function's rounding error, then invert it."""
    lo = found.interval.lo - rounded * abs(found.interval.lo)
    hi = found.interval.hi + rounded * abs(found.interval.hi)
    if is_falling:
        lo, hi = hi, lo
    interval = Interval(_at(inverse, lo, -INF), _at(inverse, hi, INF))
    return Restriction(interval, found.holes & _ZERO if is_falling else _NONE, found.number)


def _at(inverse: _Inverse, bound: float, otherwise: float) -> float:
    try:
        found = inverse(bound)
    except (ValueError, OverflowError):
        return otherwise
    return found if math.isfinite(found) else otherwise


def _of_power(found: Restriction, is_root: bool) -> Restriction:
    """Invert a root or a square: its operand is 0 where it is, and bounded by its bound."""
    lo, hi = found.interval.lo, found.interval.hi
    holes = _ZERO if lo > 0.0 or 0.0 in found.holes else _NONE
    if is_root:
        least = lo * lo * (1.0 - _ROUNDED) if lo > 0.0 and found.number else -INF
        most = hi * hi * (1.0 + _ROUNDED) if hi >= 0.0 else INF
        return Restriction(Interval(least, most), holes, found.number)
    most = math.sqrt(hi) * (1.0 + _ROUNDED) if hi >= 0.0 else INF
    return Restriction(Interval(-most, most), holes, found.number)


def _scaled(term: Term, found: Restriction) -> tuple[Term, Restriction] | None:
    """Invert a product with a number, or a quotient by one."""
    first, second = term.operands
    number = number_of(second)
    if number is None and term.operation.name == "mul":
        first, number = second, number_of(first)
    factor = float(number) if number is not None else 0.0
    if factor == 0.0 or not math.isfinite(factor):
        return None
    factor = factor if term.operation.name == "div" else 1.0 / factor
    restriction = _through(lambda x: x * factor, found, is_falling=factor < 0.0, rounded=_ROUNDED)
    restriction = Restriction(restriction.interval, found.holes & _ZERO, found.number)
    return first, restriction


def _shifted(term: Term, found: Restriction) -> tuple[Term, Restriction] | None:
    """Invert a sum with a number, or a difference, which is exactly 0 at one point alone."""
    first, second = term.operands
    number, is_sub = number_of(second), term.operation.name == "sub"
    falls = False
    if number is None:
        first, number, falls = second, number_of(first), is_sub
    shift = float(number) if number is not None else math.nan
    if not math.isfinite(shift):
        return None
    at = shift if is_sub else -shift  # where the result is 0

    span = found.interval
    lo, hi = (-span.hi, -span.lo) if falls else (span.lo, span.hi)
    low = at + lo - _ROUNDED * max(abs(at), abs(lo)) if lo > -INF else -INF
    high = at + hi + _ROUNDED * max(abs(at), abs(hi)) if hi < INF else INF
    holes = frozenset({at}) if 0.0 in found.holes else _NONE
    return first, Restriction(Interval(low, high), holes, found.number)
