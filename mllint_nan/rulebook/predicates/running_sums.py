"""Variances of what a loop or an object has added up: mean square minus square of the mean."""

from __future__ import annotations

from collections.abc import Iterator
from typing import Final

from mllint_nan.domains.truth import Truth
from mllint_nan.ir.term import CHOICE, Term, behind_views
from mllint_nan.rulebook.predicates.context import Context, kept, tells
from mllint_nan.rulebook.predicates.members import Role
from mllint_nan.rulebook.predicates.tables import joined_choices

_CARRIED: Final = ("loop", "exit")
_REDUCES: Final = ("sum", "mean")
_FACTORS_MOST: Final = 8
_OPTIONS_MOST: Final = 12


@tells(Role.RUNNING_VARIANCE)
def is_of_running_sums(context: Context, v: Term) -> Truth:
    """v is q / n - (s / n)**2, where s adds up or averages what comes in, and q the squares of it.

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
        if inner.operation is CHOICE and inner.detail not in _CARRIED:
            pending += inner.operands
        else:
            found.append(inner)
    return found


def _is_of_sums(context: Context, difference: Term) -> Truth:
    """Whether a difference is of a total of squares and the square of a total, divided or not."""
    if not _is_sub(difference):
        return Truth.NO
    squares, totals = map(_numerators, difference.operands)
    keys = [one.key for one in totals]
    for total in (one for one in totals if keys.count(one.key) > 1):
        for square in squares:
            answer = _adds_squares_of(context, square, total)
            if answer is not Truth.NO:
                return answer
    return Truth.NO


def _numerators(term: Term) -> list[Term]:
    """The factors of a product, and of a dividend; of a square, its base twice.

    What functions return on several paths is read as on the first one.
    """
    found: list[Term] = []
    pending = [term]
    while pending and len(found) + len(pending) <= _FACTORS_MOST:
        inner = behind_views(pending.pop())
        match inner.operation.name:
            case "square":
                pending += [inner.operands[0]] * 2
            case "mul":
                pending += inner.operands
            case "div":
                pending.append(inner.operands[0])
            case _ if inner.operation is CHOICE and inner.detail not in _CARRIED:
                pending.append(inner.operands[0])
            case _:
                found.append(inner)
    return found


def _adds_squares_of(context: Context, squares: Term, total: Term) -> Truth:
    """Whether one total adds up the squares of what another adds up, with the same weights."""
    for added, is_of_all in _added(context, total):
        plain = [one.key for one in _numerators(added)]
        for other, _ in _added(context, squares):
            rest = [one.key for one in _numerators(other)]
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
    """Whether a summand is the total as it was, decayed or not: what a loop carries, or is kept."""
    return any(
        one.detail in _CARRIED if one.operation is CHOICE else one.detail == total.detail
        for one in _numerators(part)
        if one.operation is total.operation
    )


def _unreduced(added: Term) -> tuple[Term, bool]:
    inner, is_of_all = behind_views(added), False
    while inner.operation.name in _REDUCES:
        is_of_all = is_of_all or inner.settings.get("axis") is None
        inner = behind_views(inner.operands[0])
    return inner, is_of_all
