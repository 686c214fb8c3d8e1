"""A sigmoid whose halves are written under masks, each in the form that is stable there."""

from __future__ import annotations

from typing import Final

from mllint_nan.flow.facts import facts_of
from mllint_nan.ir.term import OPAQUE, Term, number_of, peel

_OPPOSITE: Final = {"ge": "gt", "gt": "ge"}
"""By comparison: the one that holds for the swapped operands where it does not."""


def sigmoid_of_halves(changed: Term) -> Term | None:
    """The x whose sigmoid an array holds once both halves are written, else `None`.

    `out[x >= 0] = 1 / (1 + exp(-x[x >= 0]))`, then `out[x < 0] = e / (1 + e)`, e = exp(x[x < 0]).
    """
    before = peel(changed.operands[0])
    halves = [_half_written(one) for one in (before, changed)]
    if halves[0] is None or halves[1] is None:
        return None
    (first, mask), (second, other) = halves[0], halves[1]
    is_same = peel(first).key == peel(second).key
    return first if is_same and _outcomes(mask, True) == _outcomes(other, False) else None


def _half_written(update: Term) -> tuple[Term, Term] | None:
    """The x and the mask of `out[mask] = sigmoid(x[mask])`, else `None`."""
    is_masked = update.operation is OPAQUE and update.detail == "update"
    if not is_masked or len(update.operands) != 3:
        return None
    _, written, mask = update.operands
    taken = _sigmoid_by_hand(peel(written))
    selected = peel(taken) if taken is not None else None
    if selected is None or selected.operation.name != "boolean_mask":
        return None
    source, places = selected.operands[:2]
    return (source, mask) if peel(places).key == peel(mask).key else None


def _sigmoid_by_hand(quotient: Term) -> Term | None:
    """The x of `1 / (1 + exp(-x))`, or of `exp(x) / (1 + exp(x))`."""
    if quotient.operation.name != "div":
        return None
    dividend, divisor = map(peel, quotient.operands)
    if divisor.operation.name != "add" or 1 not in map(number_of, divisor.operands):
        return None
    for exponential in map(peel, divisor.operands):
        if exponential.operation.name != "exp":
            continue
        exponent = peel(exponential.operands[0])
        if number_of(dividend) == 1 and exponent.operation.name == "neg":
            return exponent.operands[0]
        if dividend.key == exponential.key:
            return exponent
    return None


def _outcomes(mask: Term, holds: bool) -> list[tuple[object, ...]]:
    return [_outcome(peel(fact.test), fact.holds) for fact in facts_of(mask, holds)]


def _outcome(test: Term, holds: bool) -> tuple[object, ...]:
    """A condition and whether it holds, in a form to compare; `not a >= b` is `b > a`."""
    name, sides = test.operation.name, [peel(one).key for one in test.operands]
    if holds or name not in _OPPOSITE:
        return (name, holds, test.key) if name not in _OPPOSITE else (name, *sides)
    return (_OPPOSITE[name], *sides[::-1])
