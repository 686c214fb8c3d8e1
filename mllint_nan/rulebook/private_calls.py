"""Private functions, all of whose calls are visible: what holds at these calls holds in them.

The facts at a call are restated for the parameters: `if mask.sum() == 0: return` before
`_mean(loss, mask)` guards the `mask.sum()` of `_mean`.
"""

from __future__ import annotations

from collections.abc import Iterable, Iterator, Mapping
from dataclasses import replace
from typing import Final

from mllint_nan.domains.truth import Truth
from mllint_nan.flow.state import Analysis, Occurrence, Scope
from mllint_nan.ir.canonical import Builder
from mllint_nan.ir.term import INPUT, Fact, Term, behind_views, peel, walk
from mllint_nan.rulebook.evidence import answer
from mllint_nan.rulebook.predicates.context import Context
from mllint_nan.rulebook.predicates.endings import as_written
from mllint_nan.rulebook.predicates.selected import counterpart
from mllint_nan.rulebook.rule import Case

CALLS_MOST: Final = 8
_TESTS_DEEPEST: Final = 6


def is_guarded_by_callers(case: Case, context: Context, builder: Builder) -> bool:
    """Whether a `when` condition fails, or an `unless` one holds, under the facts at each call."""
    analysis, function = context.analysis, context.occurrence.scope
    bindings = analysis.bindings.get(function.key, ())
    if not bindings or not are_all_calls(analysis, function, len(bindings)):
        return False
    if not all(binding.facts for binding in bindings):
        return False
    parameters = parameters_in(context, function)
    return all(
        facts and _excludes(case, under(context, facts))
        for binding in bindings
        for facts in [tuple(restated(binding.facts, binding.arguments, parameters, builder))]
    )


def _excludes(case: Case, context: Context) -> bool:
    return any(answer(one, context) is Truth.NO for one in case.when) or any(
        answer(one, context) is Truth.YES for one in case.unless
    )


def are_all_calls(analysis: Analysis, function: Scope, seen: int) -> bool:
    """Whether a function is private, and used in no other way than by so many calls."""
    named = len(analysis.callers.get(function.key, ()))
    is_followed = len(analysis.bindings.get(function.key, ())) == named == seen
    return function.is_private and is_followed and seen <= CALLS_MOST


def under(context: Context, facts: tuple[Fact, ...]) -> Context:
    """The context of the same match where more facts hold."""
    occurrence = context.occurrence
    state = occurrence.state.with_facts((*occurrence.state.facts, *facts))
    there = Occurrence(occurrence.term, state, occurrence.scope, occurrence.call)
    return replace(context, occurrence=there)


def parameters_in(context: Context, function: Scope) -> dict[str, Term]:
    """By name: the term for each parameter in the judged operation; a call may have passed it."""
    whole = context.occurrence.term
    written = as_written(context, whole)
    own = [
        part
        for part in walk(written)
        if part.operation is INPUT
        and context.analysis.parameters.get(part.key, (0, ""))[0] == function.key
    ]
    return {str(one.detail): counterpart(written, whole, one) for one in own}


def restated(
    facts: Iterable[Fact],
    arguments: Mapping[str, Term],
    parameters: Mapping[str, Term],
    builder: Builder,
) -> Iterator[Fact]:
    """Yield the facts about a call's arguments, restated for the parameters that they go to."""
    for fact in facts:
        for name, parameter in parameters.items():
            if name in arguments:
                test = _replaced(fact.test, arguments[name], parameter, builder, _TESTS_DEEPEST)
                if test is not None:
                    yield Fact(test, fact.holds)


def _replaced(
    test: Term, argument: Term, parameter: Term, builder: Builder, deepest: int
) -> Term | None:
    """A test with the parameter in place of its argument; `None` if the argument is not in it."""
    inner = peel(test)
    if behind_views(inner).key == behind_views(argument).key:
        return parameter
    if not deepest or not inner.operation.pure:
        return None
    parts = [_replaced(part, argument, parameter, builder, deepest - 1) for part in inner.operands]
    if not any(parts):
        return None
    operands = tuple(new or old for new, old in zip(parts, inner.operands, strict=True))
    return builder.build(inner.operation, operands, inner.settings, framework=inner.framework)
