"""Paths that no visibly constructed object takes, because its settings exclude them."""

from __future__ import annotations

from collections.abc import Iterable, Iterator, Mapping, Sequence
from itertools import islice
from typing import Final

from mllint_nan.flow.containers import is_none
from mllint_nan.flow.state import Analysis, Occurrence, Scope
from mllint_nan.ir.term import (
    ATTRIBUTE,
    CHOICE,
    CONSTANT,
    INPUT,
    Fact,
    Term,
    constant_of,
    number_of,
    peel,
    walk,
)
from mllint_nan.rulebook.predicates.context import Context, is_self

_OPERAND_MOST: Final = 256
"""How many terms of an operation are searched for a choice that depends on a setting."""


def is_excluded(context: Context, facts: Iterable[Fact]) -> bool:
    """Whether a path's facts contradict what every visible construction passes to the object."""
    analysis, owner = context.analysis, context.occurrence.scope.owner
    return owner is not None and any(_is_refuted(analysis, owner, fact) for fact in facts)


def class_that_decides(
    analysis: Analysis, occurrence: Occurrence, *, by_unset: bool = False
) -> Scope | None:
    """The class whose settings decide whether an operation is reached, or which operand it has.

    `None` if a construction in the file takes that path, or if no class decides. With `by_unset`,
    a setting that is 0 or None by default decides, too.
    """
    owner = occurrence.scope.owner
    if owner is None:
        return None
    for fact in _on_the_way(occurrence):
        parameter, holds = _flag(analysis, owner, fact)
        if parameter is None:
            continue
        given = _given(owner.made_with, parameter)
        if not owner.made_with or (given and all(constant_of(one) is not holds for one in given)):
            return owner
    is_asked = by_unset and not owner.made_with
    unset = _unset(occurrence.term) if is_asked else ()
    return owner if any(_parameter_kept(analysis, owner, one) for one in unset) else None


def _unset(term: Term) -> Iterator[Term]:
    parts = islice(walk(term), _OPERAND_MOST)
    return (part for part in parts if part.operation is INPUT and any(map(is_unset, part.operands)))


def is_unset(value: Term) -> bool:
    """Whether a value of a setting, perhaps its default, is None or the number 0."""
    return is_none(value) or number_of(value) == 0


def numbers_given(analysis: Analysis, owner: Scope | None, setting: Term) -> list[float]:
    """The numbers that all constructions in the file pass for a setting; empty if one is not known.

    A setting is a parameter of the constructor, or the attribute that keeps it.
    """
    if owner is None:
        return []
    parameter = _parameter_kept(analysis, owner, setting) or _stored_once(analysis, owner, setting)
    if parameter is None:
        return []
    numbers = [number_of(one) for one in _given(owner.made_with, parameter)]
    return [] if None in numbers else [float(one) for one in numbers if one is not None]


def _stored_once(analysis: Analysis, owner: Scope, value: Term) -> Term | None:
    """The parameter, if it is one that the constructor alone stores, as an attribute's only value.

    The constructor is evaluated again for each visible construction, with another key, so
    parameters are compared by name.
    """
    if value.operation is not INPUT:
        return None
    function, _ = analysis.parameters.get(value.key, (0, ""))
    scope = analysis.functions.get(function)
    is_of_another = scope is not None and scope.name != "__init__"
    is_stored = any(
        name not in owner.changing and len(stored) == 1 and _is_alike(peel(stored[0]), value)
        for name, stored in owner.attributes.items()
    )
    return value if is_stored and not is_of_another else None


def _is_alike(one: Term, other: Term) -> bool:
    """Whether both are parameters of the same name."""
    return one.operation is INPUT and one.detail == other.detail


def _on_the_way(occurrence: Occurrence) -> Iterator[Fact]:
    yield from occurrence.state.facts
    for part in islice(walk(occurrence.term), _OPERAND_MOST):
        for facts in part.facts if part.operation is CHOICE else ():
            yield from facts


def _is_refuted(analysis: Analysis, owner: Scope, fact: Fact) -> bool:
    parameter, holds = _flag(analysis, owner, fact)
    given = _given(owner.always_made_with, parameter) if parameter is not None else []
    return bool(given) and all(constant_of(one) is (not holds) for one in given)


def _flag(analysis: Analysis, owner: Scope, fact: Fact) -> tuple[Term | None, bool]:
    """The constructor's parameter that a fact tests, and the value that it must have."""
    inner, holds = peel(fact.test), fact.holds
    while inner.operation.name == "logical_not":
        inner, holds = peel(inner.operands[0]), not holds
    return _parameter_kept(analysis, owner, inner), holds


def _given(made_with: Sequence[Mapping[str, Term] | None], parameter: Term) -> list[Term]:
    """The constants that constructions pass for a parameter; empty if one is not known."""
    name, default = str(parameter.detail), parameter.operands
    found: list[Term] = []
    for made in made_with:
        if made is None or (name not in made and not default):
            return []
        found.append(made[name] if name in made else default[0])
    is_known = all(peel(one).operation is CONSTANT for one in found)
    return found if is_known else []


def _parameter_kept(analysis: Analysis, owner: Scope, setting: Term) -> Term | None:
    """The constructor's parameter that a setting of the object is, and stays; else `None`."""
    if setting.operation is ATTRIBUTE and is_self(setting.operands[0]):
        name = str(setting.detail)
        stored = [peel(term) for term in owner.attributes.get(name, ())]
        if len(stored) != 1 or name in owner.changing:
            return None
        setting = stored[0]
    function, _ = analysis.parameters.get(setting.key, (0, ""))
    scope = analysis.functions.get(function)
    is_given = scope is not None and scope.name == "__init__" and scope.owner is owner
    return setting if is_given and setting.operation is INPUT else None
