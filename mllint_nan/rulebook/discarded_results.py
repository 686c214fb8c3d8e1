"""Bad results of a private function that no caller uses: a `where` at each call discards them.

In `jnp.where(jnp.abs(x) < 5, _near(x), _far(x))`, what `_far` computes for 0 is thrown away. A
gradient flows nevertheless, as through any branch of a `where` that is not selected.
"""

from __future__ import annotations

from collections.abc import Iterator, Mapping
from dataclasses import replace
from typing import Final

from mllint_nan.domains.truth import Truth
from mllint_nan.flow.state import Analysis, Occurrence, Scope
from mllint_nan.ir.canonical import Builder
from mllint_nan.ir.term import INPUT, REFERENCE, Fact, Term, behind_views, peel, walk
from mllint_nan.rulebook.evidence import answer
from mllint_nan.rulebook.predicates.context import Context
from mllint_nan.rulebook.predicates.endings import as_written, ends_of_match
from mllint_nan.rulebook.predicates.selected import counterpart, facts_of_taking, selections_of
from mllint_nan.rulebook.rule import Case

_CALLS_MOST: Final = 8
_TESTS_DEEPEST: Final = 6


def is_left_out(case: Case, context: Context, builder: Builder) -> bool:
    """Whether some `when` condition fails wherever the callers use the function's result."""
    occurrence = context.occurrence
    taken = _facts_where_taken(context, builder) if case.when else []
    for facts in taken:
        if any(context.oracle.excludes(one.test, one.holds, context.facts) for one in facts):
            continue  # never the case, so nothing is used here
        state = occurrence.state.with_facts((*occurrence.state.facts, *facts))
        there = Occurrence(occurrence.term, state, occurrence.scope, occurrence.call)
        inner = replace(context, occurrence=there)
        if not any(answer(condition, inner) is Truth.NO for condition in case.when):
            return False
    return bool(taken)


def _facts_where_taken(context: Context, builder: Builder) -> list[tuple[Fact, ...]]:
    """The facts about the operands at each place where callers use the function's result.

    Empty if some caller may use all of it, or if anything is stored.
    """
    analysis, function = context.analysis, context.occurrence.scope
    calls = analysis.calls.get(function.key, ())
    if not calls or len(calls) > _CALLS_MOST or not _are_all_calls(analysis, function, len(calls)):
        return []
    taken = [facts for call in calls for facts in _takings(context, call)]
    if not taken or () in taken:
        return []
    if function.stores or ends_of_match(context, context.occurrence.term).stored:
        return []
    parameters = _parameters(context, function)
    return [
        facts
        for binding in analysis.bindings[function.key]
        for one in taken
        for facts in [tuple(_of_parameters(one, binding.arguments, parameters, builder))]
    ]


def _are_all_calls(analysis: Analysis, function: Scope, seen: int) -> bool:
    """Whether the function is used in no other way than by these calls."""
    named = len(analysis.callers.get(function.key, ()))
    return function.is_private and len(analysis.bindings.get(function.key, ())) == named == seen


def _takings(context: Context, call: Term) -> Iterator[tuple[Fact, ...]]:
    """Yield the facts where each `where` takes a call's result; `()` for any other use."""
    consumers = context.analysis.consumers.get(call.key, ())
    uses = [one for one in consumers if not (one.operation is REFERENCE and one.key == call.key)]
    if not uses or call.key in context.analysis.escaped:
        yield ()
    for use in uses:
        if use.operation.name == "where":
            yield facts_of_taking(use, call.key) or ()
        elif use.operation.kind in ("elementwise", "view"):
            yield from selections_of(context, use) or [()]
        else:
            yield ()


def _parameters(context: Context, function: Scope) -> dict[str, Term]:
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


def _of_parameters(
    facts: tuple[Fact, ...],
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
    if not deepest or not inner.operation.pure or inner.settings:
        return None
    parts = [_replaced(part, argument, parameter, builder, deepest - 1) for part in inner.operands]
    if not any(parts):
        return None
    operands = tuple(new or old for new, old in zip(parts, inner.operands, strict=True))
    return builder.build(inner.operation, operands, framework=inner.framework)
