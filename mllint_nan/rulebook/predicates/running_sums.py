"""Variances of what a loop or an object has added up: mean square minus square of the mean."""

from __future__ import annotations

from collections.abc import Iterator
from typing import Final

from mllint_nan.domains.truth import Truth
from mllint_nan.ir.term import ATTRIBUTE, CHOICE, Term, behind_views, number_of, peel
from mllint_nan.rulebook.predicates.context import Context, kept, tells
from mllint_nan.rulebook.predicates.members import Role
from mllint_nan.rulebook.predicates.tables import joined_choices

_REDUCES: Final = ("sum", "mean")
_FACTORS_MOST: Final = 8
_OPTIONS_MOST: Final = 12


@tells(Role.RUNNING_VARIANCE)
def is_of_running_sums(context: Context, v: Term) -> Truth:
    """v is q / n minus the square of s / n: s adds up numbers or rows, and q their squares.

    UNKNOWN if all elements of arrays are added up, which are seldom nearly equal.
    """
    differences = list(_differences(v))
    answers = [_is_of_sums(context, one) for one in differences]
    if not answers or Truth.NO in answers:
        return Truth.NO
    return Truth.UNKNOWN if Truth.UNKNOWN in answers else Truth.YES


def _differences(v: Term) -> Iterator[Term]:
    """Yield the differences that a variance is, whatever function subtracts and on which path."""
    for option in _options(v):
        if option.operation.name in ("mul", "div"):
            factors = option.operands[: 1 if option.operation.name == "div" else None]
            yield from (one for factor in factors for one in _options(factor) if _is_sub(one))
        else:
            yield option


def _is_sub(term: Term) -> bool:
    return term.operation.name == "sub"


def _options(term: Term) -> list[Term]:
    """What a term is on each path through the functions that return it."""
    found: list[Term] = []
    pending = [term]
    while pending and len(found) < _OPTIONS_MOST:
        inner = behind_views(pending.pop())
        if inner.operation is CHOICE and inner.detail not in ("loop", "exit"):
            pending += inner.operands
        else:
            found.append(inner)
    return found


def _is_of_sums(context: Context, difference: Term) -> Truth:
    if not _is_sub(difference):
        return Truth.NO
    squares, means = difference.operands
    for mean in _roots(means):
        for total in _totals(mean):
            for square in (one for option in _options(squares) for one in _totals(option)):
                answer = _adds_squares_of(context, square, total)
                if answer is not Truth.NO:
                    return answer
    return Truth.NO


def _roots(means: Term) -> Iterator[Term]:
    """Yield the means whose square is subtracted: m of `m**2`, or of `m * m`."""
    for option in _options(means):
        if option.operation.name == "square":
            yield from _options(option.operands[0])
        elif option.operation.name == "mul":
            left, right = map(_options, option.operands)
            keys = {one.key for one in right}
            yield from (one for one in left if one.key in keys)


def _totals(mean: Term) -> Iterator[Term]:
    """Yield what a mean divides by a number of summands."""
    if mean.operation.name == "div" and number_of(mean.operands[1]) is None:
        yield from _options(mean.operands[0])


def _adds_squares_of(context: Context, squares: Term, total: Term) -> Truth:
    """Whether one total adds up the squares of what another adds up, with the same weights."""
    for added, is_of_all in _added(context, total):
        plain = _factors(added)
        for other, _ in _added(context, squares):
            rest = _factors(other)
            if len(rest) != len(plain) + 1:
                continue
            for key in plain:
                if key in rest:
                    rest.remove(key)
            if len(rest) == 1 and rest[0] in plain:
                return Truth.UNKNOWN if is_of_all else Truth.YES
    return Truth.NO


def _added(context: Context, total: Term) -> Iterator[tuple[Term, bool]]:
    """Yield what is added to a total, and whether that is the sum of all elements of an array."""
    if total.operation.name == "sum":  # as a loop that adds up each element is read
        yield _unreduced(total.operands[0])
        return
    stored = kept(context, total)
    if total.operation is CHOICE:
        stored = [option for choice in joined_choices(total) for option in choice.operands]
    for step in map(behind_views, stored):
        parts = [(part, _is_of_before(part, total)) for part in step.operands]
        if step.operation.name == "add" and any(is_of_before for _, is_of_before in parts):
            yield from (_unreduced(part) for part, is_of_before in parts if not is_of_before)


def _is_of_before(part: Term, total: Term) -> bool:
    """Whether a summand is the total as it was: what a loop carries, or the attribute."""
    inner = behind_views(part)
    if inner.operation is not total.operation:
        return False
    return (
        inner.detail in ("loop", "exit")
        if inner.operation is CHOICE
        else (inner.operation is ATTRIBUTE and inner.detail == total.detail)
    )


def _unreduced(added: Term) -> tuple[Term, bool]:
    inner, is_of_all = behind_views(added), False
    while inner.operation.name in _REDUCES:
        is_of_all = is_of_all or inner.settings.get("axis") is None
        inner = behind_views(inner.operands[0])
    return inner, is_of_all


def _factors(product: Term) -> list[int]:
    """The keys of the factors of a product; of a square, its base twice."""
    found: list[int] = []
    pending = [product]
    while pending and len(found) + len(pending) <= _FACTORS_MOST:
        inner = behind_views(pending.pop())
        if inner.operation.name == "square":
            pending += [inner.operands[0]] * 2
        elif inner.operation.name == "mul":
            pending += inner.operands
        else:
            found.append(peel(inner).key)
    return found
