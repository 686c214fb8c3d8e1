"""The length of what a prediction is compared with, as the divisor of a relative error."""

from __future__ import annotations

from collections.abc import Iterator
from typing import Final

from mllint_nan.ir.term import CHOICE, INPUT, OPAQUE, Term, behind_views, number_of, peel, walk
from mllint_nan.rulebook.predicates.context import Context, is_self, passed_for, passes_through
from mllint_nan.rulebook.predicates.endings import as_written

_MAGNITUDES: Final = frozenset(("square", "abs", "norm", "pow"))
_ROOTS: Final = frozenset(("sqrt", "pow", "norm"))
_ADDS_UP: Final = frozenset(("add", "sum", "mean", "mul"))
_STEPS_TO_QUOTIENT: Final = passes_through("add", "maximum", "clip")
_PARTS_MOST: Final = 16
_DEEPEST: Final = 6


def is_of_reference(context: Context) -> bool:
    """Whether the match is the length of y in a relative error, `|x - y| / |y|`.

    Of what an error is relative to, a loss takes no gradient, unless a visible call passes the
    result of a computation for it.
    """
    written = as_written(context, context.occurrence.term)
    root = next((peel(one) for one in (written, *written.operands) if _is_root(one)), None)
    references = [*_measured(root.operands[0])] if root is not None else []
    if not references or not all(_came_in(context, one) for one in references):
        return False
    keys = {one.key for one in references}
    quotients = [*_quotients(context, written)]
    return bool(quotients) and all(_compares(one.operands[0], keys) for one in quotients)


def _is_root(term: Term) -> bool:
    return peel(term).operation.name in _ROOTS


def _measured(x: Term) -> Iterator[Term]:
    """Yield the terms whose magnitudes x adds up."""
    pending, seen = [behind_views(x)], 0
    while pending and seen < _PARTS_MOST:
        inner, seen = pending.pop(), seen + 1
        if inner.operation is CHOICE or inner.operation.name in _MAGNITUDES | _ADDS_UP:
            is_of_one = inner.operation.kind == "reduction" or inner.operation.name == "pow"
            operands = inner.operands[:1] if is_of_one else inner.operands
            pending += [behind_views(one) for one in operands if number_of(one) is None]
        else:
            yield inner


def _came_in(context: Context, term: Term, depth: int = _DEEPEST) -> bool:
    """Whether a term is a parameter, an element of data, or a part of what several parameters give.

    For a parameter, so is whatever visible calls pass.
    """
    inner, is_part = peel(term), False
    while inner.operands and (_is_part(inner) or inner.operation.kind == "view"):
        if inner.operation.name == "element":
            return True
        is_part = is_part or _is_part(inner)
        inner = peel(inner.operands[0])
    if inner.operation is OPAQUE:
        given = [one for one in map(behind_views, inner.operands) if not is_self(one)]
        return is_part and sum(one.operation is INPUT for one in given) > 1
    if inner.operation is INPUT and depth > 0:
        return all(_came_in(context, one, depth - 1) for one in passed_for(context, inner))
    return inner.operation.name == "element" or context.value(inner).is_constant


def _is_part(term: Term) -> bool:
    return term.operation is OPAQUE and str(term.detail).startswith("part ")


def _quotients(context: Context, root: Term) -> Iterator[Term]:
    """Yield the quotients by the root, with or without an addend; nothing if it has other uses."""
    found, pending, seen = list[Term](), [root.key], set[int]()
    while pending:
        key = pending.pop()
        if key in seen:
            continue
        seen.add(key)
        for made in context.analysis.consumers.get(key, ()):
            if made.operation.name == "div" and behind_views(made.operands[1]).key == key:
                found.append(made)
            elif _STEPS_TO_QUOTIENT(made):
                pending.append(made.key)
            else:
                return
    yield from found


def _compares(dividend: Term, keys: set[int]) -> bool:
    """Whether the dividend is made of differences from each of these, and of nothing else."""
    found = set[int]()
    for part in walk(dividend):
        if part.operation.name in ("sub", "distance", "mse"):
            sides = {behind_views(side).key for side in part.operands[:2]}
            if len(sides & keys) == 1:
                found |= sides & keys
    return found == keys
