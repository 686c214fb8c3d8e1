"""The order of the calls that a function makes on one path."""

from __future__ import annotations

from collections.abc import Iterable, Iterator, Sequence

from mllint_nan.flow.state import Occurrence
from mllint_nan.flow.storage import path_of
from mllint_nan.ir.term import CONSTANT, Fact, Term, peel


def calls_after(effects: Sequence[Occurrence], call: Term) -> Iterator[Occurrence]:
    """Yield the calls in the same function that may be made after one, first to last."""
    place = _place_of(effects, call)
    if place is not None:
        made = effects[place]
        yield from (other for other in effects[place + 1 :] if _may_follow(made, other))


def calls_before(effects: Sequence[Occurrence], call: Term) -> Iterator[Occurrence]:
    """Yield the calls in the same function that may have been made before one, last to first."""
    place = _place_of(effects, call)
    if place is not None:
        made = effects[place]
        yield from (other for other in reversed(effects[:place]) if _may_follow(other, made))


def _place_of(effects: Sequence[Occurrence], call: Term) -> int | None:
    return next((place for place, one in enumerate(effects) if one.term is call), None)


def _may_follow(first: Occurrence, second: Occurrence) -> bool:
    return first.scope is second.scope and not _exclude(first.state.facts, second.state.facts)


def _exclude(facts: Iterable[Fact], others: Iterable[Fact]) -> bool:
    """Whether the facts at one call exclude those at another: they are in different branches."""
    known = {written_as(fact.test): fact.holds for fact in facts}
    return any(known.get(written_as(fact.test), fact.holds) is not fact.holds for fact in others)


def written_as(test: Term) -> str:
    """The text of a condition, whatever its names hold by then: equal texts are the same switch."""
    path = path_of(test)
    if path:
        return path
    inner = peel(test)
    if inner.operation is CONSTANT:
        return repr(inner.detail)
    path = path_of(inner)
    if path or not inner.operands:
        return path or f"{inner.operation.name} {inner.key}"
    parts = [written_as(part) for part in inner.operands]
    parts += [f"{name}={written_as(value)}" for name, value in inner.settings.items()]
    return f"{inner.operation.name} {inner.detail}({', '.join(parts)})"
