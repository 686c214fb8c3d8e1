"""Arrays of 0 into which 1 is written: as masks, they select the places of the 1s."""

from __future__ import annotations

from typing import Final

from mllint_nan.domains.truth import Truth
from mllint_nan.flow.masks import is_slice
from mllint_nan.ir.term import OPAQUE, QUALIFIED, SEQUENCE, Term, behind_views, number_of
from mllint_nan.rulebook.predicates.context import Context, known, through_views
from mllint_nan.rulebook.predicates.roles import options_of

_ZEROS: Final = ("zeros", "zeros_like")
_IN_ORDER: Final = ("arange", "element", "size")
_RANGES: Final = ("range", "call range", "call builtins.range", "slice")


def counted_of(n: Term) -> Term:
    """The count in `len(x) - count`, or n itself."""
    inner = behind_views(n)
    is_rest = inner.operation.name == "sub" and len(inner.operands) == 2
    return behind_views(inner.operands[1]) if is_rest else inner


def is_empty_along(context: Context, n: Term, m: Term) -> Truth:
    """Whether n may count none along one axis of m, into which 1 was written at listed places.

    If the rows are visited one after the other, each has a 1; a list of rows may lack some.
    """
    axis = number_of(behind_views(n).settings.get("axis"))
    if not isinstance(axis, int):
        return Truth.NO
    arrays = [behind_views(option) for option in options_of(m) or (m,)]
    return known(all(_may_leave_out(context, array, axis) for array in arrays))


def _may_leave_out(context: Context, array: Term, axis: int) -> bool:
    written = context.analysis.written_at.get(array.key, ()) if _is_indicator(array) else ()
    return bool(written) and all(
        len(places) > 1
        and -len(places) <= axis < len(places)
        and all(map(_is_listed, places))
        and not all(_is_in_order(context, place) for place in _without(places, axis))
        for places in written
    )


def _without(places: tuple[Term, ...], axis: int) -> list[Term]:
    """The places along the other axes."""
    return [place for number, place in enumerate(places) if number != axis % len(places)]


def _is_indicator(array: Term) -> bool:
    if array.operation is not OPAQUE or array.detail != "update" or len(array.operands) != 2:
        return False
    container, value = map(behind_views, array.operands)
    is_one = number_of(value) == 1 or value.operation.name in ("ones", "ones_like")
    return is_one and container.operation.name in _ZEROS


def _is_listed(place: Term) -> bool:
    """Whether a place is a list of indices: neither a single index nor a slice."""
    inner = behind_views(place)
    if inner.operation is OPAQUE:
        return not is_slice(inner)
    if inner.operation is QUALIFIED or number_of(inner) is not None:
        return False
    return inner.operation is not SEQUENCE or bool(inner.operands)


def _is_in_order(context: Context, place: Term) -> bool:
    """Whether a place runs through all indices: `arange(n)`, `[i for i in range(n)]`."""
    if any(part.key in context.analysis.thinned for part in through_views(place)):
        return False
    inner = behind_views(place)
    return inner.operation.name in _IN_ORDER or str(inner.detail) in _RANGES
