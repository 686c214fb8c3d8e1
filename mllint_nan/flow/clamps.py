"""Numbers that replace the elements for which a comparison of them holds: `s[s < 0] = 0`.

The number is attained if the comparison can hold. If it is also the bound of the comparison, the
whole is a clamp.
"""

from __future__ import annotations

from collections.abc import Iterator, Mapping
from dataclasses import dataclass
from typing import Final

from mllint_nan.flow.facts import facts_of
from mllint_nan.ir.term import OPAQUE, Fact, Term, behind_views, number_of, peel

FILLED: Final[Mapping[str, float]] = {
    "zeros": 0.0,
    "zeros_like": 0.0,
    "ones": 1.0,
    "ones_like": 1.0,
}
"""The number that fills the array."""


@dataclass(frozen=True, slots=True)
class Put:
    """A number that replaces some elements, selected by a comparison of these elements."""

    into: Term
    number: float
    fact: Fact
    """The fact that holds where the number was put."""
    is_bound: bool
    """Whether the elements were compared with that number: a clamp."""


def put(term: Term) -> Put | None:
    """The number that a `where`, or a write under a mask, puts in place of compared elements."""
    inner = peel(term)
    for into, written, facts in _choices(inner):
        number = filled_with(written)
        if number is None or len(facts) != 1:
            continue
        test = peel(facts[0].test)
        if test.operation.name not in ("gt", "ge"):
            continue
        own = behind_views(into).key
        for side, bound in (test.operands, test.operands[::-1]):
            if behind_views(side).key == own:
                return Put(into, number, facts[0], filled_with(bound) == number)
    return None


def is_clamped_at_zero(term: Term) -> bool:
    """Whether a term is `s[s < 0] = 0`, or the same by `where`."""
    found = put(term)
    return found is not None and found.is_bound and found.number == 0


def _choices(inner: Term) -> Iterator[tuple[Term, Term, tuple[Fact, ...]]]:
    """Yield what is kept, what replaces the rest, and the facts that hold there."""
    if inner.operation.name == "where":
        condition, first, second = inner.operands
        yield second, first, facts_of(condition, True)
        yield first, second, facts_of(condition, False)
    elif inner.operation is OPAQUE and inner.detail == "update" and len(inner.operands) == 3:
        container, written, mask = inner.operands
        yield container, written, facts_of(mask, True)


def filled_with(term: Term) -> float | None:
    """The number that a term is, or that all of its elements are."""
    inner = behind_views(term)
    number = number_of(inner)
    if number is None and inner.operation.name in ("full", "full_like"):
        number = number_of(inner.settings.get("value"))
    if number is None:
        number = FILLED.get(inner.operation.name)
    return None if number is None else float(number)
