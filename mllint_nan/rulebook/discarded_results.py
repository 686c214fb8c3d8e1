"""Bad results of a private function that no caller uses: a `where` at each call discards them.

In `jnp.where(jnp.abs(x) < 5, _near(x), _far(x))`, what `_far` computes for 0 is thrown away. A
gradient flows nevertheless, as through any branch of a `where` that is not selected.
"""

from __future__ import annotations

from collections.abc import Iterator

from mllint_nan.domains.truth import Truth
from mllint_nan.ir.canonical import Builder
from mllint_nan.ir.term import REFERENCE, Fact, Term
from mllint_nan.rulebook.evidence import answer
from mllint_nan.rulebook.predicates.context import Context
from mllint_nan.rulebook.predicates.endings import ends_of_match
from mllint_nan.rulebook.predicates.selected import facts_of_taking, selections_of
from mllint_nan.rulebook.private_calls import are_all_calls, parameters_in, restated, under
from mllint_nan.rulebook.rule import Case


def is_left_out(case: Case, context: Context, builder: Builder) -> bool:
    """Whether some `when` condition fails wherever the callers use the function's result."""
    taken = _facts_where_taken(context, builder) if case.when else []
    for facts in taken:
        if any(context.oracle.excludes(one.test, one.holds, context.facts) for one in facts):
            continue  # never the case, so nothing is used here
        inner = under(context, facts)
        if not any(answer(condition, inner) is Truth.NO for condition in case.when):
            return False
    return bool(taken)


def _facts_where_taken(context: Context, builder: Builder) -> list[tuple[Fact, ...]]:
    """The facts about the operands at each place where callers use the function's result.

    Empty if some caller may use all of it, or if anything is stored.
    """
    analysis, function = context.analysis, context.occurrence.scope
    calls = analysis.calls.get(function.key, ())
    if not calls or not are_all_calls(analysis, function, len(calls)):
        return []
    taken = [facts for call in calls for facts in _takings(context, call)]
    if not taken or () in taken:
        return []
    if function.stores or ends_of_match(context, context.occurrence.term).stored:
        return []
    parameters = parameters_in(context, function)
    return [
        facts
        for binding in analysis.bindings[function.key]
        for one in taken
        for facts in [tuple(restated(one, binding.arguments, parameters, builder))]
    ]


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
