"""Facts: what is known where a condition holds, or where it fails."""

from __future__ import annotations

from collections.abc import Iterator
from typing import Final

from mllint_nan.domains.truth import Truth
from mllint_nan.flow.conditions import OBJECT, decided
from mllint_nan.ir.term import ATTRIBUTE, CHOICE, INPUT, OPAQUE, Fact, Term, peel

_SAME_TRUTH: Final = frozenset(("identity", "detach", "reshape", "squeeze"))
_OF_PARTS: Final = frozenset(
    (*_SAME_TRUTH, "logical_not", "logical_and", "logical_or", "and", "or", "all", "any")
)
"""Conditions whose outcome implies that of their parts."""


def facts_of(test: Term, holds: bool, most: int | None = None) -> tuple[Fact, ...]:
    """The outcome of a condition as facts about its simplest parts, in their order.

    At most `most` of them, the last ones.
    """
    plain = peel(test)
    if (plain.operation.name if plain.operation is not OPAQUE else plain.detail) not in _OF_PARTS:
        return (Fact(test, holds),)  # the usual case
    facts: list[Fact] = []
    left: list[tuple[Term, bool] | Fact] = [(test, holds)]
    while left and len(facts) != most:
        last = left.pop()
        if isinstance(last, Fact):
            facts.append(last)
            continue
        part, is_true = last
        inner = peel(part)
        operation = inner.operation
        joined = operation.name if operation is not OPAQUE else str(inner.detail)
        if joined not in _OF_PARTS:
            facts.append(Fact(part, is_true))
        elif operation.name == "logical_not":
            left.append((inner.operands[0], not is_true))
        elif operation.name in _SAME_TRUTH:
            left.append((inner.operands[0], is_true))
        elif joined in (("and", "logical_and") if is_true else ("or", "logical_or")):
            left += ((operand, is_true) for operand in inner.operands)
        else:
            left.append(Fact(part, is_true))
            if operation.name == ("all" if is_true else "any"):
                left.append((inner.operands[0], is_true))
    return tuple(reversed(facts))


def is_evaluating(facts: tuple[Fact, ...]) -> bool:
    """Whether the facts say that `self.training` is false here."""
    return any(not fact.holds and _is_mode(peel(fact.test)) for fact in facts)


def _is_mode(test: Term) -> bool:
    if test.operation is not ATTRIBUTE or test.detail != "training":
        return False
    owner = peel(test.operands[0])
    return owner.operation is INPUT and owner.detail == "self"


def taken(definition: Term, known: tuple[Fact, ...]) -> Term:
    """The only option of a choice that the known facts leave, else the definition itself.

    `if masked: m = ...` and later `if masked: use(m)`: the second sees the `m` of the first.
    """
    is_of_paths = definition.operation is CHOICE and definition.detail not in ("loop", "exit")
    if not is_of_paths or not known or not any(definition.facts):
        return definition
    outcomes = {fact.test.key: fact.holds for fact in known}
    left = [
        option
        for option, path in zip(definition.operands, definition.facts, strict=True)
        if all(outcomes.get(fact.test.key, fact.holds) is fact.holds for fact in path)
    ]
    return left[0] if len(left) == 1 else definition


def facts_behind(test: Term, holds: bool) -> tuple[Fact, ...]:
    """The facts of the paths on which a variable got the value that a condition finds in it.

    `found = None; if p > 0: found = p` and later `if found is not None:`: there, p is positive.
    """
    inner = peel(test)
    tested = next((one for one in (inner, *map(peel, inner.operands)) if _is_of_paths(one)), None)
    if tested is None:
        return ()
    unwanted = Truth.NO if holds else Truth.YES
    paths = [
        path
        for option, path in _options(tested, ())
        if _outcome(inner, tested, option) is not unwanted
    ]
    if not paths:
        return ()
    common = set.intersection(*({(fact.test.key, fact.holds) for fact in path} for path in paths))
    return tuple(fact for fact in paths[0] if (fact.test.key, fact.holds) in common)


def _is_of_paths(term: Term) -> bool:
    return term.operation is CHOICE and term.detail not in ("loop", "exit") and any(term.facts)


def _options(choice: Term, path: tuple[Fact, ...]) -> Iterator[tuple[Term, tuple[Fact, ...]]]:
    """Yield the values that a variable may have, each with what holds where it has it."""
    for option, facts in zip(choice.operands, choice.facts, strict=True):
        inner, there = peel(option), (*path, *facts)
        if _is_of_paths(inner):
            yield from _options(inner, there)
        else:
            yield inner, there


def _outcome(test: Term, tested: Term, option: Term) -> Truth:
    """What a condition finds if a variable in it has one of its values."""

    def known(term: Term) -> Term:
        inner = peel(term)
        if inner is not tested:
            return inner
        return OBJECT if inner is not test and _is_part(option) else option

    return decided(test, known)


def _is_part(term: Term) -> bool:
    """Whether a value is an element or attribute of something: not None, as far as that shows."""
    return term.operation is ATTRIBUTE or term.operation.kind == "view"
