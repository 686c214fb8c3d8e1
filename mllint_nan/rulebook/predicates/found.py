"""Lists of what is found elsewhere, as the words of a sentence that have a vector: maybe none."""

from __future__ import annotations

from collections.abc import Iterator
from typing import Final

from mllint_nan.domains.truth import Truth
from mllint_nan.flow.facts import facts_of
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
    number_of,
    peel,
    walk,
)
from mllint_nan.rulebook.predicates.context import Context, known, tells, through_views
from mllint_nan.rulebook.predicates.members import Zero
from mllint_nan.rulebook.predicates.tables import joined_choices

_ZEROS: Final = ("zeros", "zeros_like")
_LISTED: Final = ("collect", "cast", "identity")


@tells(Zero.FOUND)
def may_find_nothing(context: Context, x: Term) -> Truth:
    """x is a list that takes an element only under a condition: YES if that looks it up elsewhere.

    NO for any other list or array.
    """
    answers = [known(any(map(finds, facts))) for facts in _taken_where(context, x)]
    if not answers:
        return Truth.NO
    return Truth.YES if Truth.YES in answers else Truth.UNKNOWN


def sums_found(context: Context, x: Term) -> bool:
    """Whether x adds up what is found elsewhere, in a list or by a loop: 0 if nothing is found."""
    inner = behind_views(x)
    if inner.operation.name == "sum":
        return may_find_nothing(context, inner.operands[0]) is Truth.YES
    if inner.operation is not CHOICE or inner.detail != "exit":
        return False
    steps = [
        (option, choice.facts[place] if place < len(choice.facts) else ())
        for choice in joined_choices(inner)
        for place, option in enumerate(choice.operands)
        if peel(option).operation is not CHOICE and not _is_zero(option)
    ]
    return bool(steps) and all(
        peel(option).operation.name == "add" and any(map(finds, facts)) for option, facts in steps
    )


def _is_zero(start: Term) -> bool:
    return behind_views(start).operation.name in _ZEROS or number_of(start) == 0


def finds(fact: Fact) -> bool:
    """Whether a fact is that data of the program hold an element: `w in vectors`, `d is not None`.

    What is not None must be the result of a call that was given the element.
    """
    test = peel(fact.test)
    asked = str(test.detail)
    if test.operation is not OPAQUE or len(test.operands) != 2:
        return False
    one, other = peel(test.operands[0]), behind_views(test.operands[1])
    if (asked, fact.holds) in (("in", True), ("not in", False)):
        return _is_element(one) and other.operation in (INPUT, ATTRIBUTE, OPAQUE)
    if (asked, fact.holds) not in (("is not", True), ("is", False)):
        return False
    is_of_none = other.operation is CONSTANT and constant_of(other) is None
    is_called = one.operation is OPAQUE and str(one.detail).startswith("call ")
    return is_of_none and is_called and any(map(_is_element, one.operands[1:]))


def _is_element(term: Term) -> bool:
    """Whether a term is an element that a loop runs through, or a part of one."""
    return any(part.operation.name == "element" for part in walk(term))


def _taken_where(context: Context, x: Term) -> Iterator[tuple[Fact, ...]]:
    """Yield the facts under which a list takes an element, if it takes each under some."""
    for part in through_views(x):
        conditions = context.analysis.thinned.get(peel(part).key, ())
        if conditions:
            yield tuple(fact for test in conditions for fact in facts_of(test, True))
            return
        if part.operation is CHOICE:
            yield from _appended_where(part)
            return
        if part.operation.name not in _LISTED:
            return


def _appended_where(final: Term) -> Iterator[tuple[Fact, ...]]:
    """Yield the facts under which a loop appends to a list that begins empty."""
    if final.detail != "exit" or not all(map(_is_list, _leaves(final))):
        return
    for choice in joined_choices(final):
        if choice.detail == "exit":
            continue
        for option, facts in zip(choice.operands, choice.facts, strict=False):
            if peel(option).operation is SEQUENCE and peel(option).operands:
                yield facts


def _leaves(final: Term) -> list[Term]:
    options = [peel(option) for one in joined_choices(final) for option in one.operands]
    return [one for one in options if one.operation is not CHOICE]


def _is_list(term: Term) -> bool:
    return term.operation is SEQUENCE
