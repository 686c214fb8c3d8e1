"""Floors and epsilons that are settings, and 0 or None unless somebody sets them.

Whoever adds such a setting knows that the value under it can be 0.
"""

from __future__ import annotations

from collections.abc import Iterator, Mapping
from typing import Final

from mllint_nan.domains.truth import Truth
from mllint_nan.flow.state import Analysis, Scope
from mllint_nan.ir import program as ir
from mllint_nan.ir.term import (
    ATTRIBUTE,
    CHOICE,
    INPUT,
    OPAQUE,
    Term,
    behind_views,
    number_of,
    peel,
)
from mllint_nan.rulebook.predicates.constructed import is_unset
from mllint_nan.rulebook.predicates.context import Context, is_self, known, stored_by, tells
from mllint_nan.rulebook.predicates.members import Zero

_LOGARITHMS: Final = frozenset(("log", "log2", "log10"))
_TOTALS: Final = frozenset(("sum", "mean"))
_GUARDS: Final = frozenset(("add", "maximum", "clip"))


@tells(Zero.UNSET)
def is_floor_unset(context: Context, x: Term) -> Truth:
    """What keeps x from 0 is a setting that is 0 or None by default, which some call leaves so."""
    inner = behind_views(x)
    is_total = inner.operation.name in _TOTALS
    if is_total:
        inner = behind_views(inner.operands[0])
    is_left = any(
        _is_unset(context, setting) and _may_be_zero(context, bare, is_total=is_total)
        for bare, setting in _floors(inner)
    )
    return known(is_left and not _is_kept_by_calls(context, x))


def _is_kept_by_calls(context: Context, x: Term) -> bool:
    """Whether the visible calls that leave the setting alone pass what stays away from 0."""
    here = context.occurrence.term
    place = next(number for number, one in enumerate(here.operands) if peel(one).key == peel(x).key)
    passed = [
        (one.term.operands[place], one.state.facts)
        for one in context.analysis.visited
        if one.term.site is here.site
        and one.term.operation is here.operation
        and (one.call is not None and not one.call.is_by_defaults)
    ]
    inner = behind_views(x)
    floors = inner.operands if inner.operation is CHOICE else (inner,)
    sites = {id(peel(one).site) for one in floors}
    left = [(given, facts) for given, facts in passed if not _is_set(given, sites)]
    return bool(left) and all(
        context.oracle.value(given, facts).can_be(0.0) is Truth.NO for given, facts in left
    )


def _is_set(given: Term, sites: set[int]) -> bool:
    """Whether a call passes a number by which a value is kept from 0 at one of these sites."""
    inner = behind_views(given)
    return id(inner.site) in sites and any(
        (number_of(setting) or 0) > 0 for _, setting in _floors(inner)
    )


def _floors(inner: Term) -> Iterator[tuple[Term, Term]]:
    """Yield what may be a floor or an epsilon, after the value that it keeps from 0."""
    if inner.operation is CHOICE:  # `x if floor is None else x.clamp(min=floor)`
        bare = {peel(option).key for option in inner.operands}
        for option in inner.operands:
            yield from (one for one in _added(peel(option)) if peel(one[0]).key in bare)
    else:
        yield from _added(inner)


def _added(inner: Term) -> Iterator[tuple[Term, Term]]:
    """Yield the operands of a sum or a maximum, each after the other one."""
    if inner.operation.name not in _GUARDS:
        return
    least = inner.settings.get("min")
    parts = inner.operands if least is None else (inner.operands[0], least)
    for part, other in (parts, parts[::-1]) if len(parts) == 2 else ():
        yield part, peel(other)


def _may_be_zero(context: Context, bare: Term, *, is_total: bool) -> bool:
    """Whether a value that is never meant to be negative may be 0, or all elements of a total."""
    value = context.value(bare)
    if value.can_be(0.0) is Truth.NO:
        return False
    is_sum = behind_views(bare).operation.name in _TOTALS
    is_taken = is_sum or context.occurrence.term.operation.name in _LOGARITHMS
    return value.lo >= 0 or (is_taken and not is_total)


def _is_unset(context: Context, setting: Term) -> bool:
    """Whether a setting is 0 or None by default, and not all visible calls set it."""
    analysis = context.analysis
    if setting.operation is ATTRIBUTE and is_self(setting.operands[0]):
        owner, name = context.occurrence.scope.owner, str(setting.detail)
        return owner is not None and not stored_by(owner, name) and _is_unset_in(owner, name)
    if setting.operation is not INPUT or not any(map(is_unset, setting.operands)):
        return False
    key, name = analysis.parameters.get(setting.key, (0, ""))
    function = analysis.functions.get(key)
    if function is None:
        return False
    if function.name == ir.FIRST_METHODS[0] and function.owner is not None:
        made = function.owner.always_made_with or function.owner.made_with
        return not made or any(one is not None and _leaves(one, name) for one in made)
    calls = [one.arguments for one in analysis.bindings.get(key, ())]
    if not calls:
        return _may_be_left(analysis, function, name)
    return any(_leaves(one, name) or _is_open(one[name]) for one in calls)


def _leaves(arguments: Mapping[str, Term], name: str) -> bool:
    return name not in arguments or is_unset(arguments[name])


def _is_open(argument: Term) -> bool:
    """Whether an argument is one that `**settings` may give or leave out."""
    inner = peel(argument)
    return inner.operation is OPAQUE and inner.detail == "rest"


def _may_be_left(analysis: Analysis, function: Scope, name: str) -> bool:
    """Whether calls in other files may leave a parameter at 0 or None."""
    ways = (f"{function.definition}[{name} == 0.0]", f"{function.definition}[{name} is None]")
    return not all(analysis.unrun(way).name for way in ways)


def _is_unset_in(owner: Scope, name: str) -> bool:
    """Whether the body of a class sets an attribute to None or 0."""
    body = owner.node.body if isinstance(owner.node, ir.Class) else ()
    return any(
        isinstance(one, ir.Assign)
        and isinstance(one.value, ir.Constant)
        and one.value.value in (None, 0)
        and one.value.value is not False
        and any(isinstance(target, ir.Name) and target.name == name for target in one.targets)
        for one in body
    )
