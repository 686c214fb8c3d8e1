"""Masks that can select nothing: of a centre, of a bin, of labelled examples, of wrong guesses."""

from __future__ import annotations

import re
from typing import Final

from mllint_nan.domains.truth import Truth
from mllint_nan.flow.masks import selecting_mask
from mllint_nan.ir.term import (
    ATTRIBUTE,
    CONSTANT,
    INPUT,
    OPAQUE,
    QUALIFIED,
    Term,
    behind_views,
    number_of,
    peel,
)
from mllint_nan.rulebook.predicates.context import Context
from mllint_nan.rulebook.predicates.selections import is_mask

_FINDS_BINS: Final = re.compile(r"(^|[. ])(digitize|bucketize|searchsorted)$")
_SHIFTS: Final = ("add", "sub")
_LIMITS: Final = ("minimum", "maximum", "clip", *_SHIFTS)
_ROUNDED: Final = ("floor", "ceil", "round", "floordiv")
_SCALED: Final = ("mul", "div", *_SHIFTS)
_GIVEN: Final = (CONSTANT, INPUT, ATTRIBUTE)
_OF_EDGES: Final = ("gt", "ge")
_STEPS_MOST: Final = 8


def is_of_nearest(mask: Term) -> bool:
    """Whether a mask is `argmin(distances) == k`: no point may be nearest to centre k."""
    return mask.operation.name == "eq" and any(
        behind_views(operand).operation.name in ("argmin", "argmax") for operand in mask.operands
    )


def is_of_bin(mask: Term) -> bool:
    """Whether a mask selects what lies in one of several bins, which may be empty.

    It is `digitize(x, edges) == k` for each k of a `range`, the same with `int(x / width)`, or
    `(x > lower) & (x <= upper)` with edges of a `linspace`.
    """
    if mask.operation.name == "eq":
        return any(
            (_finds_bin(one) and _is_counted_up(other)) or (_rounds(one) and is_counter(other))
            for one, other in (mask.operands, mask.operands[::-1])
        )
    return mask.operation.name == "logical_and" and _is_between_edges(*mask.operands)


def _is_between_edges(first: Term, second: Term) -> bool:
    """Whether the same input lies above an edge of a grid, and below another one."""
    sides = [behind_views(one) for one in (first, second)]
    if any(side.operation.name not in _OF_EDGES for side in sides):
        return False
    return any(
        behind_views(above.operands[0]).operation is INPUT
        and behind_views(above.operands[0]).key == behind_views(below.operands[1]).key
        and peel(above.operands[1]).key != peel(below.operands[0]).key
        and _is_edge(above.operands[1])
        and _is_edge(below.operands[0])
        for above, below in (sides, sides[::-1])
    )


def _is_edge(term: Term) -> bool:
    return peel(term).operation.kind == "view" and behind_views(term).operation.name == "linspace"


def _rounds(term: Term) -> bool:
    """Whether a term is an input, divided by the width of a bin and rounded to a whole number."""
    inner, is_rounded = peel(term), False
    for _ in range(_STEPS_MOST):
        name = inner.operation.name
        if name in ("cast", *_ROUNDED):
            is_rounded = is_rounded or name in _ROUNDED or _is_to_integers(inner)
        elif name not in _LIMITS:
            break
        if is_rounded and name == "floordiv":
            return _is_scaled_input(inner)
        inner = peel(inner.operands[0])
    return is_rounded and _is_scaled_input(inner)


def _is_to_integers(cast: Term) -> bool:
    dtype = cast.settings.get("dtype")
    named = None if dtype is None else peel(dtype)
    if named is None or named.operation not in (CONSTANT, QUALIFIED):
        return False
    kind = str(named.detail).rpartition(".")[2]
    return kind.startswith(("int", "uint", "long", "short"))


def _is_scaled_input(scaled: Term) -> bool:
    """Whether an input was multiplied or divided, and nothing ranks it among others."""
    inner, is_scaled = scaled, False
    for _ in range(_STEPS_MOST):
        name = inner.operation.name
        if inner.operation.kind == "view":
            inner = peel(inner.operands[0])
        elif name in _SCALED or name == "floordiv":
            is_scaled = is_scaled or name not in _SHIFTS
            first, second = map(peel, inner.operands)
            inner = second if name == "mul" and number_of(first) is not None else first
        else:
            break
    return is_scaled and inner.operation is INPUT


def _finds_bin(term: Term) -> bool:
    inner = behind_views(term)
    while inner.operation.name in _SHIFTS:
        inner = behind_views(inner.operands[0])
    return inner.operation is OPAQUE and _FINDS_BINS.search(str(inner.detail)) is not None


def _is_counted_up(term: Term) -> bool:
    inner = behind_views(term)
    return inner.operation is OPAQUE and inner.detail == "call builtins.range"


def is_counter(term: Term) -> bool:
    """Whether a loop counts a number up, to a limit that is not computed from what it counts."""
    inner = behind_views(term)
    if inner.operation is OPAQUE and inner.detail == "index":
        return True  # `for k, head in enumerate(self.heads)`
    return _is_counted_up(term) and all(peel(one).operation in _GIVEN for one in inner.operands[1:])


def is_of_labelled(selected: Term, mask: Term) -> bool:
    """Whether elements are selected where a label is present, which may be nowhere.

    `loss[~isnan(target)]` is such a selection. `x[~isnan(x)]` is not: it involves no labels.
    """
    asked = mask
    if mask.operation.name == "logical_not":
        asked = behind_views(mask.operands[0])
    is_present = asked.operation.name == ("isfinite" if asked is mask else "isnan")
    chosen = peel(selected)
    if not is_present or chosen.operation.name != "boolean_mask":
        return False
    labels, source = behind_views(asked.operands[0]), behind_views(chosen.operands[0])
    return labels.operation is INPUT and source.key != labels.key


def is_sum_of_errors(context: Context, total: Term) -> bool:
    """Whether weights are summed where two values differ, as in `w[guess != y].sum()`.

    That is 0 where all guesses are right. Classes and other groups are seldom empty.
    """
    if total.operation.name == "dot":
        return any(_is_of_errors(context, one) for one in total.operands)
    if total.operation.name != "sum":
        return False
    chosen = peel(total.operands[0])
    mask = selecting_mask(chosen)
    return mask is not None and _is_of_errors(context, mask)


def _is_of_errors(context: Context, mask: Term) -> bool:
    inner = behind_views(mask)
    if inner.operation.name != "ne" or any(number_of(one) is not None for one in inner.operands):
        return False
    return is_mask(context, inner) is Truth.YES
