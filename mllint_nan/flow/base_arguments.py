"""The arguments that the constructors of subclasses pass to the constructor of a base class."""

from __future__ import annotations

from collections.abc import Mapping
from typing import TYPE_CHECKING

from mllint_nan.flow.arguments import bind_arguments
from mllint_nan.flow.state import Blueprint, Scope
from mllint_nan.ir.program import FIRST_METHODS
from mllint_nan.ir.term import Term, peel

if TYPE_CHECKING:
    from mllint_nan.flow.class_values import ClassEvaluator


def given_to_base(
    at: ClassEvaluator,
    made: Blueprint,
    constructing: Scope,
    given: Mapping[str, Term] | None,
    base: Blueprint,
) -> Mapping[str, Term] | None:
    """By parameter: the arguments of a base's constructor where an object of a subclass is made.

    `constructing` is the class whose constructor is called, and `given` has its arguments.
    """
    heir = next((one for one in at.line_of(made) if one.scope is constructing), None)
    return _handed_up(at, heir, given, base) if heir is not None and given is not None else None


def _handed_up(
    at: ClassEvaluator, heir: Blueprint, given: Mapping[str, Term], base: Blueprint
) -> Mapping[str, Term] | None:
    if heir.attributes is None:
        at.find_attributes(heir)
    for one in at.line_of(heir)[1:]:
        handed, constructor = heir.handed_up.get(one.scope), at.known_method(one, FIRST_METHODS[0])
        bound = bind_arguments(constructor, handed) if constructor and handed else None
        if bound is None:
            continue
        known: dict[str, Term] = {}
        for name, term in bound.items():
            function, own = at.analysis.parameters.get(peel(term).key, (0, ""))
            known[name] = given.get(own, term) if function == heir.constructor else term
        return known if one is base else _handed_up(at, one, known, base)
    return None
