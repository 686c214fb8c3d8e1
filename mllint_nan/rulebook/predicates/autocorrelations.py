"""Autocorrelations by Fourier transforms: their first element is the power of the signal."""

from __future__ import annotations

import re
from typing import Final

from mllint_nan.domains.truth import Truth
from mllint_nan.ir.term import ATTRIBUTE, CHOICE, OPAQUE, QUALIFIED, Term, behind_views, peel, walk
from mllint_nan.rulebook.predicates.context import Context, known, tells, through_views
from mllint_nan.rulebook.predicates.members import Zero

_FORWARD: Final = re.compile(r"(^|[._ ])r?fftn?$")
_BACK: Final = re.compile(r"(^|[._ ])i(r)?fftn?$")
_CORRELATES: Final = re.compile(r"(^|[._ ])(numpy|signal)\.correlate$")
_OPTIONS_MOST: Final = 12


@tells(Zero.POWER)
def is_power_of_signal(context: Context, d: Term) -> Truth:
    """d is an element of an autocorrelation that is divided by it: 0 for silence or a constant."""
    quotient = context.occurrence.term
    inner = peel(d)
    if inner.operation.name != "subscript" or quotient.operation.name != "div":
        return Truth.NO
    whole = {part.key for part in through_views(inner.operands[0])}
    divided = {part.key for part in through_views(quotient.operands[0])}
    return known(not whole.isdisjoint(divided) and _is_autocorrelation(inner.operands[0]))


def _is_autocorrelation(term: Term) -> bool:
    """Whether a term is the inverse transform of a squared magnitude, with a bias or without."""
    pending, seen = [term], set[int]()
    while pending and len(seen) < _OPTIONS_MOST:
        inner = behind_views(pending.pop())
        if inner.key in seen:
            continue
        seen.add(inner.key)
        if inner.operation is CHOICE:
            pending += inner.operands
        elif inner.operation.name in ("div", "mul"):
            pending += inner.operands[: 1 if inner.operation.name == "div" else None]
        elif inner.operation is OPAQUE:
            given = [peel(one) for one in inner.operands if peel(one).operation is not QUALIFIED]
            name = str(inner.detail)
            if _BACK.search(name) and given and _is_squared_magnitude(given[0]):
                return True
            if _CORRELATES.search(name) and len(given) > 1 and given[0].key == given[1].key:
                return True
        elif inner.operation.name == "real" or (
            inner.operation is ATTRIBUTE and inner.detail == "real"
        ):
            pending += inner.operands
    return False


def _is_squared_magnitude(term: Term) -> bool:
    """Whether a term is `abs(f)**2`, `f * conj(f)` or `f.real**2 + f.imag**2` of a transform f."""
    inner = behind_views(term)
    while inner.operation.name == "sum":
        inner = behind_views(inner.operands[0])
    if inner.operation.name == "add":
        return all(map(_is_squared_magnitude, inner.operands))
    if inner.operation.name == "square":
        return bool(_transforms(inner.operands[0]))
    if inner.operation.name != "mul":
        return False
    left, right = map(_transforms, inner.operands)
    return bool(left & right)


def _transforms(term: Term) -> set[int]:
    return {
        part.key
        for part in walk(term)
        if part.operation is OPAQUE and _FORWARD.search(str(part.detail))
    }
