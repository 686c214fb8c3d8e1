"""Fixed places of an array that is put together from parts, as a state of positions and speeds."""

from __future__ import annotations

from collections.abc import Callable
from dataclasses import dataclass, replace
from typing import Final

from mllint_nan.domains.value import NOTHING, Value
from mllint_nan.flow.elements import WHOLE_VIEWS
from mllint_nan.flow.masks import is_slice, keeps_all
from mllint_nan.ir.term import CONSTANT, OPAQUE, SEQUENCE, Term, number_of, peel

_JOINS: Final = ("stack", "concat")
_KEEPS_PLACES: Final = frozenset(("cast", "identity", "detach"))
_KEEPS_ELEMENTS: Final = _KEEPS_PLACES | {"transpose"}
_VIEWS_MOST: Final = 8


@dataclass
class _Joined:
    """Parts that an array is put together from; the axis on which each has its place, if known."""

    parts: tuple[Term, ...]
    axis: int | None
    dimensions: int | None = None


def of_some_part(selection: Term, ask: Callable[[Term], Value]) -> Value | None:
    """The value at fixed places of joined parts, else `None`.

    If it is not known which part has these places, they attain what each of the parts does.
    """
    base, index = selection.operands
    joined = _joined(base, _VIEWS_MOST)
    if joined is None or not _is_fixed(index):
        return None
    number = _place_on(joined, index)
    if number is not None and -len(joined.parts) <= number < len(joined.parts):
        return ask(joined.parts[number])
    value = ask(base)
    attained = value.attained
    for part in joined.parts:
        attained &= ask(part).attained
    return replace(value, attained=attained, scattered=NOTHING, free=False)


def _joined(base: Term, depth: int) -> _Joined | None:
    inner = peel(base)
    name = inner.operation.name
    if name in _JOINS:
        parts = _parts_of(inner)
        axis = number_of(inner.settings.get("axis")) if "axis" in inner.settings else 0
        known = axis if name == "stack" and isinstance(axis, int) else None
        return _Joined(parts, known) if len(parts) > 1 else None
    if depth == 0 or not (name in WHOLE_VIEWS or name in _KEEPS_ELEMENTS or name == "subscript"):
        return None
    found = _joined(inner.operands[0], depth - 1)
    if found is None or name in _KEEPS_PLACES:
        return found
    return _Joined(found.parts, *_after(inner, found))


def _after(view: Term, joined: _Joined) -> tuple[int | None, int | None]:
    """The axis of the parts behind a view, and how many axes there are, as far as it is known."""
    name = view.operation.name
    shape = view.settings.get("shape")
    if name == "reshape" and shape is not None and peel(shape).operation is SEQUENCE:
        lengths = peel(shape).operands
        is_kept = joined.axis == 0 and number_of(lengths[0]) == len(joined.parts)
        return (0 if is_kept else None), len(lengths)
    if name == "transpose" and len(view.operands) == 1 and not view.settings and joined.axis == 0:
        return -1, joined.dimensions
    return None, None


def _place_on(joined: _Joined, index: Term) -> int | None:
    """The number of the part that an index selects, if it is one and known."""
    inner = peel(index)
    places = inner.operands if inner.operation is SEQUENCE else (index,)
    axis, is_dotted = joined.axis, any(map(_is_ellipsis, places))
    if axis is None or not -len(places) <= axis < len(places) or any(map(_adds_axis, places)):
        return None
    if axis >= 0 and is_dotted:
        return None
    if axis < 0 and not is_dotted and joined.dimensions != len(places):
        return None
    others = [place for place in places if place is not places[axis]]
    chosen = peel(places[axis])
    if chosen.operation is SEQUENCE and len(chosen.operands) == 1:
        chosen = peel(chosen.operands[0])
    number = number_of(chosen)
    return number if isinstance(number, int) and all(map(keeps_all, others)) else None


def _is_ellipsis(place: Term) -> bool:
    inner = peel(place)
    return inner.operation is OPAQUE and inner.detail == "unknown"


def _adds_axis(place: Term) -> bool:
    inner = peel(place)
    return inner.operation is CONSTANT and inner.detail is None


def _parts_of(join: Term) -> tuple[Term, ...]:
    parts = [peel(part) for part in join.operands]
    is_list = len(parts) == 1 and parts[0].operation is SEQUENCE
    return parts[0].operands if is_list else tuple(parts)


def _is_fixed(index: Term) -> bool:
    """Whether an index has a place that is a number, or several: it leaves out other places."""
    inner = peel(index)
    places = inner.operands if inner.operation is SEQUENCE else (index,)
    return any(map(_is_number, places)) and all(keeps_all(p) or _is_number(p) for p in places)


def _is_number(place: Term) -> bool:
    inner = peel(place)
    if inner.operation is SEQUENCE:
        return bool(inner.operands) and all(map(_is_number, inner.operands))
    if is_slice(place):
        return not keeps_all(place) and all(
            peel(bound).operation is CONSTANT for bound in inner.operands
        )
    return number_of(inner) is not None
