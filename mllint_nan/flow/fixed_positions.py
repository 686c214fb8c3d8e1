"""Values at fixed positions: the end points of a grid, and an element minus itself."""

from __future__ import annotations

from collections.abc import Callable
from dataclasses import replace
from typing import Any, Final

from mllint_nan.domains.restriction import Restriction
from mllint_nan.domains.value import NOTHING, Value
from mllint_nan.flow.elements import behind_shapes
from mllint_nan.flow.formats import dtype_of
from mllint_nan.flow.masks import is_slice, keeps_all, mask_of
from mllint_nan.ir.term import CONSTANT, SEQUENCE, Term, constant_of, number_of, peel

_GRIDS: Final = ("linspace", "arange")
_KEEP_PLACES: Final = frozenset(("identity", "cast", "detach"))
_DEEPEST: Final = 6
_ZERO_SOMEWHERE: Final = Value(nan=True, attained=frozenset({0.0}), scattered=frozenset({0.0}))


def less_own_element(difference: Term) -> Value | None:
    """The value of `x - x[0]` or `x - x[:, -1:]`, which is 0 at a fixed position, else `None`."""
    whole, part = difference.operands
    inner = behind_shapes(part)
    if inner.operation.name != "subscript" or peel(inner.operands[0]).key != peel(whole).key:
        return None
    places = [place for place in _places(inner.operands[1]) if not keeps_all(place)]
    return _ZERO_SOMEWHERE if places and all(map(_is_end, places)) else None


def without_ends(part: Term, ask: Callable[[Term], Value]) -> Value | None:
    """The value of a part of a grid that may leave out its ends, else `None`.

    `arange(n)[1:]` is not 0, and `linspace(0, 1, n)[:-1]` is not 1. Nothing is known to be attained
    by a part of what is computed from a grid.
    """
    base, index = part.operands
    if mask_of(index) is not None or not _stands_in_place(base, _DEEPEST):
        return None
    places = [place for place in _places(index) if not keeps_all(place)]
    if not places:
        return None
    value, grid = ask(base), _grid_of(base)
    if grid is None or len(places) > 1:
        return replace(value, attained=NOTHING, scattered=NOTHING)
    left_out = frozenset(
        end
        for end, is_kept in zip(_ends_of(grid), _ends_kept(places[0]), strict=True)
        if end is not None and not is_kept
    )
    kept = replace(value, attained=value.attained - left_out, scattered=NOTHING)
    is_known = is_slice(places[0]) and _is_bounded_by_numbers(places[0])
    if not is_known or not left_out <= {value.lo, value.hi}:
        return kept
    return Restriction(holes=left_out).of(kept, dtype_of(part))


def _stands_in_place(term: Term, depth: int) -> bool:
    """Whether a term depends elementwise on a grid, or on differences from one element."""
    inner = peel(term)
    name = inner.operation.name
    if name in _GRIDS:
        return True
    if name == "sub" and less_own_element(inner) is not None:
        return True
    if depth == 0 or not (inner.operation.kind == "elementwise" or name in _KEEP_PLACES):
        return False
    return any(_stands_in_place(operand, depth - 1) for operand in inner.operands)


def _grid_of(base: Term) -> Term | None:
    inner = peel(base)
    while inner.operation.name in _KEEP_PLACES:
        inner = peel(inner.operands[0])
    return inner if inner.operation.name in _GRIDS else None


def _ends_of(grid: Term) -> tuple[float | None, float | None]:
    """The first and the last point, as far as they are written as numbers."""
    start, stop = grid.settings.get("start"), grid.settings.get("stop")
    if grid.operation.name == "linspace":
        return number_of(start), number_of(stop)
    step = grid.settings.get("step")
    rises = step is None or (number_of(step) or 0.0) > 0.0
    return (number_of(start) if start is not None else 0.0) if rises else None, None


def _places(index: Term) -> tuple[Term, ...]:
    inner = peel(index)
    return inner.operands if inner.operation is SEQUENCE else (index,)


def _is_end(place: Term) -> bool:
    """Whether an index is `0`, `-1`, `:1` or `-1:`; any other number may be out of range."""
    if not is_slice(place):
        return constant_of(place) in (0, -1) and not isinstance(constant_of(place), bool)
    bounds = [constant_of(bound) for bound in peel(place).operands]
    return bounds in ([None, 1], [0, 1], [-1])


def _ends_kept(place: Term) -> tuple[bool, bool]:
    """Whether a part of a row certainly contains its first point, and its last."""
    if not is_slice(place):
        return constant_of(place) == 0, constant_of(place) == -1
    first, last, step = _bounds(place)
    return first in (None, 0) and step in (None, 1), last is None and step in (None, 1)


def _is_bounded_by_numbers(place: Term) -> bool:
    """Whether a slice is like `1:`, `:-1` or `2:-1`: it is certain which ends it leaves out."""
    first, last, step = _bounds(place)
    return (
        all(peel(bound).operation is CONSTANT for bound in peel(place).operands)
        and step in (None, 1)
        and (first is None or (type(first) is int and first > 0))
        and (last is None or (type(last) is int and last < 0))
    )


def bounds_of(part: Term) -> tuple[Any, Any, Any] | None:
    """The numbers of a slice that takes a part along one axis; `None` if it takes another one."""
    places = [place for place in _places(part.operands[1]) if not keeps_all(place)]
    return _bounds(places[0]) if len(places) == 1 and is_slice(places[0]) else None


def _bounds(place: Term) -> tuple[Any, Any, Any]:
    bounds = map(constant_of, peel(place).operands)
    return (*bounds, None, None, None)[:3]
