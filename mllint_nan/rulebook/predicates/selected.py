"""Questions about results that a `where` takes only where they are sound, without a gradient."""

from __future__ import annotations

from collections.abc import Iterator

from mllint_nan.domains.truth import Truth
from mllint_nan.domains.value import Value
from mllint_nan.flow.facts import facts_of
from mllint_nan.flow.formats import dtype_of
from mllint_nan.ir.term import CONSTANT, OPAQUE, SEQUENCE, Fact, Term, behind_views, peel
from mllint_nan.rulebook.predicates.context import Context, known, predicate, tells
from mllint_nan.rulebook.predicates.endings import as_written, returning
from mllint_nan.rulebook.predicates.gradients import gradient_flows
from mllint_nan.rulebook.predicates.members import Guard
from mllint_nan.rulebook.predicates.values import range_of


@predicate
def is_selected_in(context: Context, result: Term, x: Term, numbers: str) -> Truth:
    """A `where` takes the result only where x lies in numbers, and no gradient flows to x.

    An unknown bound is one that somebody chose: evidence that it is far enough.
    """
    if is_taken_in(context, result, x, numbers) is Truth.NO:
        return Truth.NO
    return gradient_flows(context, x).not_()


@predicate
def is_taken_in(context: Context, result: Term, x: Term, numbers: str) -> Truth:
    """A `where` takes the value of the result only where x lies in numbers.

    An unknown bound is one that somebody chose: evidence that it is far enough.
    """
    written = as_written(context, result)  # a call's arguments do not change what is selected
    x = counterpart(result, written, x)
    selecting = selections_of(context, written)
    is_below, is_above = not numbers.endswith(" inf)"), not numbers.startswith("(-inf, ")
    return known(
        bool(selecting)
        and all(
            _holds(context.oracle.value(x, (*context.facts, *facts)), numbers, dtype_of(x))
            or (
                is_below is not is_above
                and any(_is_beyond_unknown(context, fact, x, is_below) for fact in facts)
            )
            for facts in selecting
        )
    )


def counterpart(whole: Term, other: Term, part: Term) -> Term:
    """The part of `other` at the place of `part` in `whole`, if both are alike; else `part`."""
    pending, seen = [(whole, other)], set[tuple[int, int]]()
    while pending:
        here, there = pending.pop()
        if peel(here).key == peel(part).key:
            return there
        if (here.key, there.key) not in seen and len(here.operands) == len(there.operands):
            seen.add((here.key, there.key))
            pending += zip(here.operands, there.operands, strict=True)
    return part


def _holds(value: Value, numbers: str, dtype: str) -> bool:
    return range_of(numbers, dtype).holds(value)


def _is_beyond_unknown(context: Context, fact: Fact, x: Term, is_below: bool) -> bool:
    """Whether a fact says that x is below, or above, something of which nothing is known."""
    test = peel(fact.test)
    if test.operation.name not in ("gt", "ge"):
        return False
    greater, less = test.operands if fact.holds else reversed(test.operands)
    nearer, bound = (less, greater) if is_below else (greater, less)
    return behind_views(nearer).key == behind_views(x).key and context.value(bound).free


@tells(Guard.UPDATE)
def is_written_where_selected(context: Context, result: Term, m: Term) -> Truth:
    """The result is only written where m selects, so an m that selects nothing writes nothing."""
    analysis, masks, is_written = context.analysis, _indices_of(m), False
    pending, seen = [result.key], set[int]()
    while pending:
        key = pending.pop()
        if key in seen:
            continue
        seen.add(key)
        for consumer in analysis.consumers.get(key, ()):
            if consumer.operation is OPAQUE:
                written = [consumer.operands[2:], *analysis.written_at.get(consumer.key, ())]
                is_update = consumer.detail == "update"
                if not (masks and is_update and any(masks <= _indices_of(*one) for one in written)):
                    return Truth.NO
                is_written = True
            elif consumer.operation.kind in ("elementwise", "view"):
                pending.append(consumer.key)
            elif consumer.operation.kind != "leaf":
                return Truth.NO
        if any(returning(analysis, key)):
            return Truth.NO
    return known(is_written)


def _indices_of(*places: Term) -> set[int]:
    """The keys of what indices select by, but for numbers: `mask` of `x[mask, 0]`."""
    found = set[int]()
    for inner in map(behind_views, places):
        parts = map(behind_views, inner.operands) if inner.operation is SEQUENCE else (inner,)
        found.update(part.key for part in parts if part.operation is not CONSTANT)
    return found


def selections_of(context: Context, result: Term) -> list[tuple[Fact, ...]]:
    """The facts where each `where` takes what the result becomes; empty if it has other uses."""
    found: list[tuple[Fact, ...]] = []
    pending, seen = [result.key], set[int]()
    while pending:
        key = pending.pop()
        if key in seen:
            continue
        seen.add(key)
        consumers = context.analysis.consumers.get(key, ())
        if not consumers or key in context.analysis.escaped:
            return []
        for consumer in consumers:
            if consumer.operation.name == "where":
                taking = facts_of_taking(consumer, key)
                if taking is None:
                    return []
                found += _taken_further(context, consumer, taking)
            elif consumer.operation.kind in ("elementwise", "view"):
                pending.append(consumer.key)
            else:
                return []
    return found


def facts_of_taking(where: Term, key: int) -> tuple[Fact, ...] | None:
    """The facts where a `where` takes this operand; None if it is not just one of the two."""
    condition, first, second = where.operands
    if condition.key == key or first.key == second.key:
        return None
    return facts_of(condition, first.key == key)


def _taken_further(
    context: Context, where: Term, taking: tuple[Fact, ...]
) -> Iterator[tuple[Fact, ...]]:
    """Yield these facts, with those where further `where` calls take what this one returns."""
    outer = context.analysis.consumers.get(where.key, ())
    further = [facts_of_taking(one, where.key) for one in outer if one.operation.name == "where"]
    is_taken = bool(outer) and len(further) == len(outer) and None not in further
    if not is_taken or where.key in context.analysis.escaped:
        yield taking
        return
    for one, facts in zip(outer, further, strict=True):
        yield from _taken_further(context, one, (*taking, *(facts or ())))
