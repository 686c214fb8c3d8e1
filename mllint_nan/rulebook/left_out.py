"""What a private function gives where no caller takes it: a `where` at each call takes the rest.

`jnp.where(jnp.abs(x) < 5, _near(x), _far(x))`: what `_far` computes of 0 is thrown away. A gradient
passes nevertheless, as through any branch of a `where` that is not selected.
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
    """Whether some condition of a rule fails wherever the callers take what the function gives."""
    occurrence = context.occurrence
    taken = _facts_where_taken(context, builder) if case.when else []
    for facts in taken:
        if any(context.oracle.excludes(one.test, one.holds, context.facts) for one in facts):
            continue  # no number that it is given is taken
        state = occurrence.state.with_facts((*occurrence.state.facts, *facts))
        there = Occurrence(occurrence.term, state, occurrence.scope, occurrence.call)
        inner = replace(context, occurrence=there)
        if not any(answer(condition, inner) is Truth.NO for condition in case.when):
            return False
    return bool(taken)


def _facts_where_taken(context: Context, builder: Builder) -> list[tuple[Fact, ...]]:
    """What holds of the operands at each place where callers take what the function gives.

    Nothing, where some caller may take all of it, or where something is kept.
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
    """Whether nothing but these calls has anything of the function."""
    named = len(analysis.callers.get(function.key, ()))
    return function.is_private and len(analysis.bindings.get(function.key, ())) == named == seen


def _takings(context: Context, call: Term) -> Iterator[tuple[Fact, ...]]:
    """What holds where each `where` takes what a call gives; `()` if something else has it."""
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
    """By name: what stands for each parameter in what is judged, which a call may have given."""
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
    """The facts that speak of what a call gives, of the parameters that it gives it for."""
    for fact in facts:
        for name, parameter in parameters.items():
            if name in arguments:
                test = _replaced(fact.test, arguments[name], parameter, builder, _TESTS_DEEPEST)
                if test is not None:
                    yield Fact(test, fact.holds)


def _replaced(
    test: Term, argument: Term, parameter: Term, builder: Builder, deepest: int
) -> Term | None:
    """A test with a parameter in place of what it is given; `None` if it does not speak of that."""
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
