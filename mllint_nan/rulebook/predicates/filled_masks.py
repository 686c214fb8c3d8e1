"""Masks that select something in each ordinary batch: of lengths, of ones, of random draws."""

from __future__ import annotations

from typing import Final

from mllint_nan.domains.truth import Truth
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

_CALLS_DEEPEST: Final = 3
_KEEPS_ELEMENTS: Final = frozenset(
    ("reshape", "squeeze", "expand_dims", "flatten", "identity", "detach", "cast")
)
_LESS: Final = frozenset(("lt", "le"))
_GREATER: Final = frozenset(("gt", "ge"))
_DRAWS: Final = frozenset(("uniform", "normal"))


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
        return _is_drawn(inner) or (is_total and _is_of_lengths(inner))
    return inner.operation is not CONSTANT and context.value(inner).lo > 0


def _is_of_lengths(comparison: Term) -> bool:
    """Whether a comparison is `arange(longest) < lengths[:, None]`, in either order."""
    name = comparison.operation.name
    if name not in _LESS | _GREATER:
        return False
    left, right = map(behind_views, comparison.operands)
    places, lengths = (left, right) if name in _LESS else (right, left)
    is_counted = any(part.operation.name == "arange" for part in walk(lengths))
    return places.operation.name == "arange" and not is_counted and _came_in(lengths)


def _came_in(lengths: Term) -> bool:
    return any(part.operation in (INPUT, OPAQUE, ATTRIBUTE, CHOICE) for part in walk(lengths))


def _is_drawn(comparison: Term) -> bool:
    """Whether a comparison is `rand_like(x) > share`, where the share is a setting."""
    drawn = [one for one in comparison.operands if behind_views(one).operation.name in _DRAWS]
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
