"""Masks that select something in each ordinary batch: of lengths, of ones, of random draws."""

from __future__ import annotations

from typing import Final

from mllint_nan.domains.truth import Truth
from mllint_nan.flow.clamps import filled_with
from mllint_nan.flow.masks import is_slice, keeps_all
from mllint_nan.flow.state import Analysis
from mllint_nan.ir.term import (
    ATTRIBUTE,
    CHOICE,
    CONSTANT,
    INPUT,
    OPAQUE,
    SEQUENCE,
    Term,
    behind_views,
    number_of,
    peel,
    walk,
)
from mllint_nan.rulebook.predicates.context import Context, passed_for, through_views
from mllint_nan.rulebook.predicates.roles import options_of
from mllint_nan.rulebook.predicates.zeros import DRAWS

_CALLS_DEEPEST: Final = 3
_KEEPS_ELEMENTS: Final = frozenset(
    ("reshape", "squeeze", "expand_dims", "flatten", "identity", "detach", "cast")
)
_LESS: Final = frozenset(("lt", "le"))
_GREATER: Final = frozenset(("gt", "ge"))
_PACKS: Final = "pack_padded_sequence"
_VALUES_MOST: Final = 16


def is_passed_filled(context: Context, n: Term, m: Term) -> bool:
    """Whether all visible calls pass a mask m that leaves its count n something to count."""
    passed = passed_for(context, behind_views(m))
    axis = behind_views(n).settings.get("axis")
    if passed and all(_is_joined_to_ones(context, given, axis) for given in passed):
        return True
    is_total = axis is None and behind_views(n).operation.name != "size"
    return _is_filled(context, m, _CALLS_DEEPEST, is_total=is_total)


def counts_filled(context: Context, n: Term) -> bool:
    """Whether n, wherever it can be 0, counts a mask that selects something in ordinary batches."""
    options = options_of(n)
    if options:
        open_ones = [one for one in options if context.value(one).can_be(0.0) is not Truth.NO]
        return bool(open_ones) and all(counts_filled(context, one) for one in open_ones)
    inner = behind_views(n)
    if inner.operation.name not in ("sum", "count_nonzero"):
        return False
    return is_passed_filled(context, n, inner.operands[0])


def counts_batch(n: Term) -> bool:
    """Whether n counts over all examples of a batch, and perhaps over other axes."""
    axis = behind_views(n).settings.get("axis")
    axes = peel(axis).operands or (axis,) if axis is not None else ()
    return axis is None or any(number_of(one) == 0 for one in axes)


def _is_filled(context: Context, mask: Term, depth: int, *, is_total: bool) -> bool:
    """Whether a mask is made of lengths, of ones, or of random draws.

    A mask of lengths as a whole (`is_total`) is empty only where all sequences are. Whoever draws a
    mask sets how much of it is left out.
    """
    inner = behind_views(mask)
    if inner.operation is INPUT:
        passed = passed_for(context, inner) if depth > 0 else []
        return bool(passed) and all(
            _is_filled(context, given, depth - 1, is_total=is_total) for given in passed
        )
    options = options_of(mask)
    if options:
        return all(_is_filled(context, one, depth, is_total=is_total) for one in options)
    if inner.operation.name in ("mul", "logical_and"):
        return all(_is_filled(context, one, depth, is_total=is_total) for one in inner.operands)
    if inner.operation.kind == "comparison":
        lengths = lengths_compared(inner)
        is_of_lengths = lengths is not None and (is_total or are_packed(context.analysis, lengths))
        return is_of_lengths or _is_drawn(inner)
    if is_by_position(context.analysis, inner):
        return True
    return inner.operation is not CONSTANT and context.value(inner).lo > 0


def is_by_position(analysis: Analysis, mask: Term) -> bool:
    """Whether a mask is all ones, or all zeros, but for a share of the positions.

    As in a masked autoencoder, `mask[:, :kept] = 0`: a setting says how many positions there are,
    whatever the data are.
    """
    if mask.operation is not OPAQUE or mask.detail != "update" or len(mask.operands) != 2:
        return False
    filled, written = map(filled_with, mask.operands)
    is_mask = {filled, written} == {0.0, 1.0}
    (places, *others) = analysis.written_at.get(mask.key, [()])
    return is_mask and not others and bool(places) and all(map(_is_position, places))


def _is_position(place: Term) -> bool:
    """Whether an index is a slice, or a slice of the places in a random order."""
    if keeps_all(place):
        return True
    if is_slice(place):
        return all(_is_set(bound) for bound in peel(place).operands)
    inner = peel(place)
    if inner.operation.name == "arange":
        return True
    order = behind_views(inner)
    return order is not inner and _is_random_order(order)


def _is_set(bound: Term) -> bool:
    """Whether a bound of a slice depends on settings and sizes, and is not counted in data."""
    return not any(
        part.operation.kind in ("comparison", "reduction") or part.operation.name == "element"
        for part in walk(bound)
    )


def _is_random_order(order: Term) -> bool:
    if order.operation is not OPAQUE:
        return False
    is_sorted = str(order.detail).endswith(("argsort", "sort"))
    is_drawn = any(part.operation.name in DRAWS for part in walk(order))
    return (is_sorted and is_drawn) or str(order.detail).endswith(("randperm", "permutation"))


def lengths_compared(comparison: Term, *, is_rest: bool = False) -> Term | None:
    """The lengths in `arange(longest) < lengths[:, None]`, in either order, else `None`.

    If `is_rest`, those in the opposite comparison, which holds beyond the lengths.
    """
    name = comparison.operation.name
    if name not in _LESS | _GREATER:
        return None
    left, right = map(behind_views, comparison.operands)
    is_in_order = (name in _LESS) is not is_rest
    places, lengths = (left, right) if is_in_order else (right, left)
    is_counted = any(part.operation.name == "arange" for part in walk(lengths))
    is_of_lengths = places.operation.name == "arange" and not is_counted and _came_in(lengths)
    return lengths if is_of_lengths else None


def are_packed(analysis: Analysis, lengths: Term) -> bool:
    """Whether sequences of these lengths are packed somewhere, which raises for a length of 0."""
    pending, seen = [lengths.key], set[int]()
    while pending and len(seen) < _VALUES_MOST:
        key = pending.pop()
        if key in seen:
            continue
        seen.add(key)
        for made in analysis.consumers.get(key, ()):
            if made.operation is OPAQUE and str(made.detail).endswith(_PACKS):
                return True
            pending += [made.key] if made.operation.kind == "view" else []
        pending += _parameters_for(analysis, key)
    return False


def _parameters_for(analysis: Analysis, key: int) -> list[int]:
    """The keys of the parameters for which calls in this file pass a value."""
    taken = {
        (function, name)
        for function, bindings in analysis.bindings.items()
        for binding in bindings
        for name, given in binding.arguments.items()
        if peel(given).key == key
    }
    return [one for one, place in analysis.parameters.items() if place in taken] if taken else []


def _came_in(lengths: Term) -> bool:
    return any(part.operation in (INPUT, OPAQUE, ATTRIBUTE, CHOICE) for part in walk(lengths))


def _is_drawn(comparison: Term) -> bool:
    """Whether a comparison is `rand_like(x) > share`, where the share is a setting."""
    drawn = [one for one in comparison.operands if behind_views(one).operation.name in DRAWS]
    others = [behind_views(one) for one in comparison.operands if one not in drawn]
    return len(drawn) == len(others) == 1 and (
        others[0].operation in (INPUT, ATTRIBUTE) or number_of(others[0]) is not None
    )


def _is_joined_to_ones(context: Context, mask: Term, axis: Term | None) -> bool:
    """Whether some concatenated part of a mask is nowhere 0, so that each row selects something."""
    views = through_views(mask)
    joined = next((part for part in views if part.operation.name not in _KEEPS_ELEMENTS), None)
    if joined is None or joined.operation.name != "concat":
        return False
    counted = number_of(axis)
    if counted is not None and counted != number_of(joined.settings.get("axis")):
        return False
    operands = map(peel, joined.operands)
    parts = [
        part
        for operand in operands
        for part in (operand.operands if operand.operation is SEQUENCE else (operand,))
    ]
    return any(context.value(part).lo > 0 for part in parts)
