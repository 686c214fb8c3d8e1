"""Tables of zeros of which a loop or a method writes only some: the others stay 0."""

from __future__ import annotations

from collections.abc import Iterator, Sequence
from typing import Final

from mllint_nan.domains.truth import Truth
from mllint_nan.flow.counts import has_classes_without
from mllint_nan.flow.masks import is_slice
from mllint_nan.flow.state import Analysis
from mllint_nan.flow.uses import links_of
from mllint_nan.ir.term import (
    ATTRIBUTE,
    CHOICE,
    CONSTANT,
    INPUT,
    OPAQUE,
    SEQUENCE,
    Fact,
    Term,
    behind_views,
    constant_of,
    peel,
    walk,
)
from mllint_nan.rulebook.predicates.context import Context, kept, known, passed_for, tells
from mllint_nan.rulebook.predicates.members import Zero
from mllint_nan.rulebook.predicates.zeros import is_zero_by_operands

_ZEROS: Final = ("zeros", "zeros_like")
_SCALED: Final = frozenset(("mul", "div", "sqrt", "square", "abs", "log1p"))
_PRESENCE: Final = frozenset(("in", "not in", "is", "is not"))
_COUNTED_UP: Final = ("call builtins.range", "index")
_OF_ELEMENTS: Final = frozenset(("call builtins.enumerate", "call builtins.zip", "element"))
_TERMS_MOST: Final = 60


def is_filled_in_part(table: Term) -> bool:
    """Whether a loop writes only what it finds elsewhere into rows of zeros: `if w in places`.

    Nothing says that any element of a row is written.
    """
    inner = behind_views(table)
    if inner.operation is CHOICE:
        return _begins_with_zeros(inner) and any(map(_is_written_sometimes, joined_choices(inner)))
    return is_zero_by_operands(inner, _SCALED, is_filled_in_part)


def counts_at_places(context: Context, table: Term) -> bool:
    """Whether loops count in a table of zeros at places that they find in data: others stay 0."""
    inner = behind_views(table)
    if inner.operation is not CHOICE or not _begins_with_zeros(inner):
        return False
    options = [peel(option) for one in joined_choices(inner) for option in one.operands]
    written = context.analysis.written_at
    places = [at for one in options if _is_update(one) for at in written.get(one.key, ())]
    is_found = not any(_is_all(context, place) for at in places for place in at)
    return bool(places) and is_found and context.value(inner).integer


def joined_choices(choice: Term) -> Iterator[Term]:
    """Yield the choices that a choice joins, but not those that something is written into later."""
    pending, seen = [choice], set[int]()
    while pending and len(seen) < _TERMS_MOST:
        inner = peel(pending.pop())
        if inner.operation is CHOICE and inner.key not in seen:
            seen.add(inner.key)
            yield inner
            pending += inner.operands


def written_into_zeros(choice: Term) -> list[Term]:
    """What a loop writes into a table of zeros; nothing for any other choice."""
    if not _begins_with_zeros(choice):
        return []
    options = (peel(option) for one in joined_choices(choice) for option in one.operands)
    return [one.operands[1] for one in options if _is_update(one)]


def _begins_with_zeros(choice: Term) -> bool:
    options = [peel(option) for one in joined_choices(choice) for option in one.operands]
    made = [one for one in options if one.operation is not CHOICE]
    return any(one.operation.name in _ZEROS for one in made) and all(
        one.operation.name in _ZEROS or _is_update(one) for one in made
    )


def _is_written_sometimes(choice: Term) -> bool:
    """Whether a choice joins the table as it was with a write that needs a test for presence."""
    options = [peel(option) for option in choice.operands]
    as_before = [one.key for one in options if one.operation is CHOICE]
    return any(
        _is_update(option)
        and _carries_one_of(as_before, peel(option.operands[0]))
        and any(map(_is_of_presence, facts))
        for option, facts in zip(options, choice.facts, strict=False)
    )


def _carries_one_of(keys: list[int], table: Term) -> bool:
    """Whether a table is one of these, or carried by a loop that starts with one."""
    is_carried = table.operation is CHOICE and table.detail == "loop"
    return table.key in keys or (is_carried and peel(table.operands[0]).key in keys)


def _is_update(term: Term) -> bool:
    return term.operation is OPAQUE and term.detail == "update" and len(term.operands) > 1


def _is_of_presence(fact: Fact) -> bool:
    """Whether a fact is a test for presence: `word in places`, `vector is not None`."""
    test = peel(fact.test)
    is_asked = test.operation is OPAQUE and str(test.detail) in _PRESENCE
    return is_asked and any(
        part.operation in (INPUT, ATTRIBUTE, OPAQUE) and part is not test for part in walk(test)
    )


@tells(Zero.COUNTER)
def is_counter(context: Context, d: Term) -> Truth:
    """d is an attribute of zeros, whose elements a method counts up where something comes in.

    NO if something runs through all of its positions, if its elements are compared anywhere, or if
    a condition holds at the match.
    """
    inner = peel(d)
    while inner.operation.name == "expand_dims" or _adds_axes(inner):
        inner = peel(inner.operands[0])
    stored = kept(context, inner)
    if not stored or context.facts:
        return Truth.NO
    name = str(inner.detail)
    steps = _steps(context, stored, name)
    if (
        not steps
        or _is_asked(context.analysis, name)
        or not all(_is_kept(option, name) for option in stored)
    ):
        return Truth.NO
    return known(not any(_is_all(context, place) for places in steps for place in places))


def _is_asked(analysis: Analysis, name: str) -> bool:
    """Whether the file compares elements of a kept attribute, such as to find those that are 0."""
    pending, seen = [*links_of(analysis).read.get(name, ())], set[int]()
    while pending and len(seen) < _TERMS_MOST:
        key = pending.pop()
        if key in seen:
            continue
        seen.add(key)
        for made in analysis.consumers.get(key, ()):
            if made.operation.kind == "comparison":
                return True
            is_element = made.operation is OPAQUE and str(made.detail) in _OF_ELEMENTS
            pending += [made.key] if made.operation.kind == "view" or is_element else []
    return False


def _adds_axes(view: Term) -> bool:
    """Whether a view only adds axes: `counts[:, None]`."""
    if view.operation.name != "subscript":
        return False
    place = peel(view.operands[1])
    places = place.operands if place.operation is SEQUENCE else (place,)
    return all(
        (peel(one).operation is CONSTANT and constant_of(one) is None) or is_slice(one)
        for one in places
    )


def _is_kept(stored: Term, name: str) -> bool:
    """Whether zeros are stored, or the attribute itself, scaled or increased at a position."""
    inner = behind_views(stored)
    if inner.operation.name == "mul":
        return any(_is_own(factor, name) for factor in inner.operands)
    return inner.operation.name in _ZEROS or (
        _is_update(inner) and _is_own(inner.operands[0], name)
    )


def _is_own(term: Term, name: str) -> bool:
    inner = behind_views(term)
    if inner.operation.name == "mul":
        return any(_is_own(factor, name) for factor in inner.operands)
    if _is_update(inner):
        return _is_own(inner.operands[0], name)
    return inner.operation is ATTRIBUTE and inner.detail == name


def _adds_to(value: Term, name: str) -> bool:
    """Whether a value adds to the old one: `counts[arm] + 1`."""
    inner = peel(value)
    return inner.operation.name == "add" and any(_is_own(part, name) for part in inner.operands)


def begins_with_nothing(context: Context, total: Term) -> bool:
    """Whether a total is an attribute of zeros to which methods add, or the sum of its elements."""
    inner = behind_views(total)
    if inner.operation.name == "sum":
        inner = behind_views(inner.operands[0])
    stored = [behind_views(one) for one in kept(context, inner)]
    zeros = [one for one in stored if one.operation.name in _ZEROS]
    others = [one for one in stored if one.operation.name not in _ZEROS]
    return bool(zeros and others) and all(_adds_to(one, str(inner.detail)) for one in others)


def _steps(context: Context, stored: Sequence[Term], name: str) -> list[tuple[Term, ...]] | None:
    """The positions at which something is added; `None` if anything else is written."""
    owner = context.occurrence.scope.owner
    written = [one for one in owner.written.get(name, ()) if one[0]] if owner is not None else []
    written += [
        (places, value)
        for one in stored
        if _is_update(peel(one))
        for places in context.analysis.written_at.get(peel(one).key, ())
        for value in peel(one).operands[1:2]
    ]
    if not all(_adds_to(value, name) for _, value in written):
        return None
    return [places for places, _ in written]


def _is_all(context: Context, place: Term) -> bool:
    """Whether a position does not depend on data: a slice, a literal, or a loop counter."""
    inner = behind_views(place)
    is_whole = inner.operation in (CONSTANT, SEQUENCE) or is_slice(inner)
    given = passed_for(context, inner) if inner.operation is INPUT else ()
    return is_whole or any(map(is_counted_up, (inner, *given)))


def is_counted_up(place: Term) -> bool:
    """Whether a loop counts a position up: it comes to each of them."""
    return str(behind_views(place).detail) in _COUNTED_UP


def is_of_confusions(context: Context, table: Term, axis: float | None) -> bool:
    """Whether a library counted this table, here or for a visible call, and a sum can be 0."""
    return isinstance(axis, int) and any(
        has_classes_without(one, axis, context.analysis)
        for one in (table, *map(behind_views, passed_for(context, table)))
    )
