"""Questions about scores of overlap: a part of a sum, divided by the whole of it."""

from __future__ import annotations

from collections.abc import Iterator

from mllint_nan.domains.truth import Truth
from mllint_nan.ir.term import CHOICE, Term, behind_views, number_of
from mllint_nan.rulebook.predicates.context import Context, known, tells
from mllint_nan.rulebook.predicates.members import Zero


@tells(Zero.REST)
def is_rest_of_share(context: Context, x: Term) -> Truth:
    """x is 1 - r or -log(r), r = a / (a + b), as for a Tversky index: 0 where b rounds away."""
    inner = behind_views(x)
    if inner.operation.name == "neg":
        log = behind_views(inner.operands[0])
        return known(log.operation.name == "log" and _is_share(log.operands[0]))
    if inner.operation.name not in ("add", "sub"):
        return Truth.NO
    first, second = inner.operands
    if inner.operation.name == "sub":
        return known(number_of(first) == 1 and _is_share(second))
    for one, other in ((first, second), (second, first)):
        negated = behind_views(other)
        if number_of(one) == 1 and negated.operation.name == "neg":
            return known(_is_share(negated.operands[0]))
    return Truth.NO


def _is_share(term: Term) -> bool:
    """Whether a term is a / (a + b) or a mean of such, b no mere number; it may have a floor."""
    inner = behind_views(term)
    if inner.operation.name == "mean" or (
        inner.operation.name == "clip" and inner.settings.get("max") is None
    ):
        return _is_share(inner.operands[0])
    if inner.operation.name == "neg":
        negated = behind_views(inner.operands[0])
        return negated.operation.name == "neg" and _is_share(negated.operands[0])
    if inner.operation is CHOICE and inner.detail not in ("loop", "exit"):
        return all(map(_is_share, inner.operands))
    if inner.operation.name != "div":
        return False
    part, whole = (list(_summands(side)) for side in inner.operands)
    keys = {one.key for one in part}
    rest = [one for one in whole if one.key not in keys]
    return (
        keys <= {one.key for one in whole}
        and any(number_of(one) is None for one in part)
        and any(number_of(one) is None for one in rest)
    )


def _summands(term: Term) -> Iterator[Term]:
    inner = behind_views(term)
    if inner.operation.name == "add":
        for operand in inner.operands:
            yield from _summands(operand)
    else:
        yield inner
