"""What an expression of equally spaced points is at one of them: `1 - cos(t) ** 2` is 0 at 0.

And `1 - t` is 0 at the last point of `linspace(0, 1, n)`.
"""

from __future__ import annotations

import math
from collections.abc import Callable, Mapping
from typing import Final

from mllint_nan.flow.elements import WHOLE_VIEWS
from mllint_nan.flow.masks import keeps_all
from mllint_nan.flow.named_values import limit_of
from mllint_nan.ir.term import SEQUENCE, Term, number_of, peel, walk
from mllint_nan.rulebook.predicates.context import Context

_DEEPEST: Final = 12
_POINTS: Final = ("linspace", "arange")
_WHOLE_MOST: Final = 2048
"""Up to here, float16 holds each whole number."""
_KEPT: Final = WHOLE_VIEWS | {"cast"}
_OF_ONE: Final[Mapping[str, Callable[[float], float]]] = {
    **{"neg": lambda x: -x, "abs": abs, "square": lambda x: x * x, "sqrt": math.sqrt},
    **{"exp": math.exp, "expm1": math.expm1, "log": math.log, "log1p": math.log1p},
    **{"sin": math.sin, "cos": math.cos, "tanh": math.tanh},
}
_OF_TWO: Final[Mapping[str, Callable[[float, float], float]]] = {
    **{"add": lambda x, y: x + y, "sub": lambda x, y: x - y, "mul": lambda x, y: x * y},
    **{"div": lambda x, y: x / y, "pow": lambda x, y: x**y},
}


def is_zero_at_end(context: Context, term: Term) -> bool:
    """Whether a term is exactly 0 where the points that it is computed from are 0, or end.

    The exact functions of 0 and of 1 alone decide: nothing is rounded on the way.
    """
    points = {part.key: part for part in walk(term) if part.operation.name in _POINTS}
    if not points:
        return False
    last = _last_of([*points.values()])
    ends = (0.0,) if last is None else (0.0, last)
    return any(_at(context, term, end, _DEEPEST) == 0.0 for end in ends)


def _last_of(points: list[Term]) -> float | None:
    """The last point of a `linspace` if it is a whole number, which no format rounds.

    `None` for several rows of points: nothing shows that they end at the same place.
    """
    last = number_of(points[0].settings.get("stop"))
    is_row = len(points) == 1 and points[0].operation.name == "linspace"
    is_whole = last is not None and abs(last) <= _WHOLE_MOST and last == int(last)
    return float(last) if is_row and is_whole and last is not None else None


def _at(context: Context, term: Term, point: float, depth: int) -> float | None:
    """The value at a point; `None` if it is not known, or no point is in sight."""
    inner = peel(term)
    name, operands = inner.operation.name, inner.operands
    number = limit_of(inner)
    if number is not None or depth == 0:
        return number
    if name in _POINTS:
        return point if point in context.value(inner).attained else None
    if name in _KEPT or (name == "subscript" and _keeps_point(operands, point)):
        return _at(context, operands[0], point, depth - 1)
    if name not in _OF_ONE and name not in _OF_TWO:
        return None
    parts = [_at(context, part, point, depth - 1) for part in operands]
    if name == "pow" and parts[1] == 0.0:
        return 1.0
    if (name == "mul" and 0.0 in parts) or (name == "div" and parts[0] == 0.0 != parts[1]):
        return 0.0
    return _applied(name, parts)


def _applied(name: str, parts: list[float | None]) -> float | None:
    known = [part for part in parts if part is not None]
    if len(known) < len(parts):
        return None
    try:
        found = _OF_ONE[name](known[0]) if name in _OF_ONE else _OF_TWO[name](known[0], known[1])
    except (ArithmeticError, ValueError):
        return None
    return found if isinstance(found, float) and math.isfinite(found) else None


def _keeps_point(operands: tuple[Term, ...], point: float) -> bool:
    """Whether the whole is read, or the first element of points that begin with 0.

    The first element is no value at another point.
    """
    index = peel(operands[1])
    parts = index.operands if index.operation is SEQUENCE else (index,)
    is_first = point == 0.0 and number_of(index) == 0
    return all(map(keeps_all, parts)) or (is_first and _begins_at_zero(operands[0]))


def _begins_at_zero(term: Term) -> bool:
    """Whether all the points in a term begin with 0."""
    inner = peel(term)
    if inner.operation.name in _POINTS:
        start = inner.settings.get("start")
        is_left_out = start is None and inner.operation.name == "arange"
        return is_left_out or number_of(start) == 0
    return all(map(_begins_at_zero, inner.operands)) if inner.operands else True
