"""Equations of `einsum` as plain operations that compute the same.

>>> contraction("bt->b", 1)
Contraction(rank=2, axes=(1,), selects_diagonal=False, is_rearranged=False)
>>> contraction("...i->...", 1).axes
(-1,)
>>> contraction("bt,btd->bd", 2) is None
True
"""

from __future__ import annotations

import re
from dataclasses import dataclass
from typing import Final

_EQUATION: Final = re.compile(r"(?P<operands>[A-Za-z.,]+)->(?P<result>[A-Za-z.]*)")
_ELLIPSIS: Final = "..."
_FORM: Final = re.compile(
    r"(?P<rows>[A-Za-z]*|\.\.\.)(?P<i>[A-Za-z]),(?P=i)(?P<j>[A-Za-z]),(?P=rows)(?P=j)->(?P=rows)"
)


@dataclass(frozen=True, slots=True)
class Contraction:
    """The elementwise product of the operands, its diagonal, its sum over `axes`, then a view."""

    rank: int
    """The number of axes of an operand; an ellipsis counts as one."""
    axes: tuple[int, ...]
    selects_diagonal: bool
    is_rearranged: bool


def contraction(equation: str, count: int) -> Contraction | None:
    """The plan for `count` operands that all have the same subscripts, else `None`."""
    parsed = _EQUATION.fullmatch(equation.replace(" ", ""))
    if parsed is None:
        return None
    operands, result = parsed["operands"].split(","), parsed["result"]
    if len(operands) != count or len(set(operands)) > 1:
        return None
    axes, kept = _named(operands[0]), _named(result)
    if axes is None or kept is None or not set(kept) <= set(axes) or len(set(kept)) < len(kept):
        return None
    if (_ELLIPSIS in axes) is not (_ELLIPSIS in kept):
        return None
    repeated = len(set(axes)) < len(axes)
    if repeated:
        if len(axes) != 2:
            return None
        return Contraction(2, () if kept else (0,), selects_diagonal=True, is_rearranged=False)
    left = [axis for axis in axes if axis in kept]
    summed = tuple(_place(axes, axis) for axis in axes if axis not in kept)
    is_rearranged = left != kept
    return Contraction(len(axes), summed, selects_diagonal=False, is_rearranged=is_rearranged)


def is_form(equation: str) -> bool:
    """Whether an equation of three operands x, A and y computes xᵀ A y, row by row.

    >>> is_form("bi,ij,bj->b")
    True
    """
    parsed = _FORM.fullmatch(equation.replace(" ", ""))
    if parsed is None:
        return False
    axes = [*parsed["rows"], parsed["i"], parsed["j"]]
    return parsed["rows"] == _ELLIPSIS or len(set(axes)) == len(axes)


def summed_places(equation: str) -> tuple[frozenset[int], frozenset[int]] | None:
    """The numbers of the one axis that two operands share and the equation sums; else `None`.

    The numbers count from the start and from the end; only from the end behind an ellipsis.

    >>> summed_places("id,jd->ij") == ({1, -1}, {1, -1})
    True
    >>> summed_places("...d,...d->...") == ({-1}, {-1})
    True
    >>> summed_places("bid,bjd->ij") is None
    True
    """
    written = equation.replace(" ", "")
    if "->" not in written and "." not in written:
        letters = written.replace(",", "")
        written += "->" + "".join(sorted(one for one in letters if letters.count(one) == 1))
    parsed = _EQUATION.fullmatch(written)
    operands = [_named(one) for one in parsed["operands"].split(",")] if parsed else []
    result = _named(parsed["result"]) if parsed else None
    if len(operands) != 2 or result is None:
        return None
    first, second = operands
    if first is None or second is None:
        return None
    if any(len(set(axes)) < len(axes) for axes in (first, second)):
        return None
    summed = {*first, *second} - {*result}
    shared = summed & {*first} & {*second}
    if len(summed) != 1 or not shared or _ELLIPSIS in summed:
        return None
    axis = shared.pop()
    return _numbers(first, axis), _numbers(second, axis)


def _numbers(axes: list[str], axis: str) -> frozenset[int]:
    place = axes.index(axis)
    from_end = place - len(axes)
    return frozenset((from_end,) if axes[0] == _ELLIPSIS else (place, from_end))


def _named(subscripts: str) -> list[str] | None:
    """The names of the axes in order; an ellipsis counts as one and must come first."""
    leading = subscripts.startswith(_ELLIPSIS)
    rest = subscripts.removeprefix(_ELLIPSIS)
    if "." in rest:
        return None
    return [*((_ELLIPSIS,) if leading else ()), *rest]


def _place(axes: list[str], axis: str) -> int:
    """The number of an axis, counted from the end if an ellipsis precedes it."""
    place = axes.index(axis)
    return place - len(axes) if axes[0] == _ELLIPSIS else place
