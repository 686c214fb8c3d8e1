"""Amounts that are added where a condition holds: `x + cast(x <= 0) * 1e-16`."""

from __future__ import annotations

from typing import Final, NamedTuple

from mllint_nan.ir.term import Term, behind_views, peel

_KEEPS_TRUTH: Final = frozenset(("cast", "identity", "detach"))


class Indicated(NamedTuple):
    """A sum `base + amount` whose amount is added only where a condition holds."""

    base: Term
    condition: Term
    amount: Term | None
    """`None` for 1."""


def indicated(total: Term) -> Indicated | None:
    """The parts of a sum in which one summand is multiplied by a condition on the other."""
    first, second = total.operands
    for base, added in ((first, second), (second, first)):
        for condition, amount in _factors(added):
            if condition is not None and _is_about(condition, base):
                return Indicated(base, condition, amount)
    return None


def _factors(added: Term) -> list[tuple[Term | None, Term | None]]:
    inner = behind_views(added)
    if inner.operation.name != "mul":
        return [(_condition(inner), None)]
    first, second = inner.operands
    return [(_condition(first), second), (_condition(second), first)]


def _condition(mask: Term) -> Term | None:
    """The comparison whose outcome a mask is, perhaps cast to a number."""
    inner = peel(mask)
    while inner.operation.name in _KEEPS_TRUTH:
        inner = peel(inner.operands[0])
    return inner if inner.operation.kind == "comparison" and len(inner.operands) == 2 else None


def _is_about(condition: Term, base: Term) -> bool:
    return any(peel(side).key == peel(base).key for side in condition.operands)
