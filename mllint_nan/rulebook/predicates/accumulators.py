"""Steps divided by the root of a running sum of their squares, as in AdaGrad and RMSProp."""

from __future__ import annotations

from collections.abc import Iterator
from typing import Final

from mllint_nan.domains.truth import Truth
from mllint_nan.flow.state import Scope
from mllint_nan.ir.kind import Kind
from mllint_nan.ir.term import (
    ATTRIBUTE,
    CHOICE,
    INPUT,
    OPAQUE,
    REFERENCE,
    SEQUENCE,
    Term,
    behind_views,
    number_of,
    peel,
)
from mllint_nan.rulebook.predicates.context import Context, class_of, passed_within, stored_by
from mllint_nan.rulebook.predicates.zeros import is_all_zeros

_DEEPEST: Final = 8
_COLLECTS: Final = frozenset(("collect", "element", "subscript", "cast", "identity", "detach"))


def is_divided_by_own_squares(context: Context, b: Term, d: Term) -> bool:
    """Whether d is a root of `0 + b**2`: a sum of squares of b that begins with zeros.

    An element of b that has been 0 since the beginning gives 0 / 0: the gradient of a unit that is
    off, or of a row that no batch has used. A factor of b counts as b, also in its running mean.
    """
    above = {behind_views(part).key for part in _moved(b, _DEEPEST)}
    total = behind_views(d)
    if total.operation.name not in ("sqrt", "pow"):
        return False
    added = _read_back(context, total.operands[0])
    return any(_adds_up_squares(context, part, above) for part in _factors(added, _DEEPEST))


def _adds_up_squares(context: Context, total: Term, above: set[int]) -> bool:
    """Whether a total is what began with zeros, and a square of one of some terms beside it."""
    inner = behind_views(total)
    if inner.operation.name != "add":
        return False
    squares: list[Term] = []
    others: list[Term] = []
    for summand in inner.operands:
        is_square = any(_is_square_of(context, part, above) for part in _factors(summand, _DEEPEST))
        (squares if is_square else others).append(summand)
    owner = context.occurrence.scope.owner
    return bool(squares and others) and all(
        any(_begins_with_zeros(context, part, owner, _DEEPEST) for part in _factors(one, _DEEPEST))
        for one in others
    )


def _is_square_of(context: Context, part: Term, above: set[int]) -> bool:
    """Whether a term is the square of an array that can be 0, one of some terms."""
    inner = behind_views(part)
    if inner.operation.name != "square":
        return False
    base = behind_views(inner.operands[0])
    is_array = context.kind(base) is not Kind.NUMBER
    return base.key in above and is_array and context.value(base).can_be(0.0) is not Truth.NO


def _read_back(context: Context, term: Term) -> Term:
    """What was written last into the place of an array, list or dictionary that a term reads."""
    inner = peel(term)
    if inner.operation.name != "subscript":
        return term
    written, place = map(peel, inner.operands)
    if written.operation is not OPAQUE or written.detail != "update" or len(written.operands) != 2:
        return term
    places = context.analysis.written_at.get(written.key, ())
    is_same = any([peel(one).key for one in at] == [place.key] for at in places)
    return written.operands[1] if is_same else term


def _begins_with_zeros(context: Context, term: Term, owner: Scope | None, depth: int) -> bool:
    """Whether a term is kept from step to step, and zeros before the first one."""
    inner = behind_views(term)
    if is_all_zeros(inner):
        return True
    if depth == 0:
        return False
    stored = _stored(context, term, owner)
    if any(_begins_with_zeros(context, one, owner, depth - 1) for one in stored):
        return True
    if inner.operation is INPUT:
        return any(
            _begins_with_zeros(context, one, caller, depth - 1)
            for one, caller in passed_within(context, inner)
        )
    is_kept = inner.operation in (CHOICE, SEQUENCE) or (
        inner.operation is OPAQUE and inner.detail == "update"
    )
    if not is_kept and inner.operation.name not in _COLLECTS:
        return False
    operands = inner.operands if is_kept else inner.operands[:1]
    return any(_begins_with_zeros(context, one, owner, depth - 1) for one in operands)


def _stored(context: Context, term: Term, owner: Scope | None) -> list[Term]:
    """What methods store in an attribute, also if a loop has written into it since."""
    start = term
    while start.operation.kind == "view" and start.operation is not REFERENCE:
        start = start.operands[0]
    path = str(start.detail)
    if start.operation is REFERENCE and path.startswith("self."):
        return stored_by(owner, path.removeprefix("self."))
    inner = behind_views(term)
    if inner.operation is not ATTRIBUTE:
        return []
    return stored_by(class_of(context, inner.operands[0], owner), str(inner.detail))


def _factors(term: Term, depth: int) -> Iterator[Term]:
    """Yield the factors of a product or of a dividend, and the product itself."""
    yield term
    inner = behind_views(term)
    if depth > 0 and inner.operation.name in ("mul", "div", "neg"):
        for operand in inner.operands[: 1 if inner.operation.name == "div" else None]:
            if number_of(operand) is None:
                yield from _factors(operand, depth - 1)


def _moved(term: Term, depth: int) -> Iterator[Term]:
    """Yield the factors of a step; and of its summands, as a running mean has them."""
    for part in _factors(term, depth):
        yield part
        inner = behind_views(part)
        if depth > 0 and inner.operation.name == "add":
            for summand in inner.operands:
                yield from _moved(summand, depth - 1)
