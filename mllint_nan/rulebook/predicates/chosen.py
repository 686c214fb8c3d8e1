"""How all calls of a function use its result: whether they only compare, rank or detach it."""

from __future__ import annotations

from typing import Final

from mllint_nan.flow.state import Analysis, Scope
from mllint_nan.ir.term import REFERENCE, Term
from mllint_nan.rulebook.predicates.context import Context
from mllint_nan.rulebook.predicates.differentiation import training_of
from mllint_nan.rulebook.predicates.endings import ends_of_key, ends_of_match, given_by
from mllint_nan.training import Training

_CALLS_MOST: Final = 40


def only_chooses(context: Context, result: Term) -> bool:
    """Whether visible code only compares the result or ranks by it, and never uses its value.

    A function without visible calls may be called for its values.
    """
    ends = ends_of_match(context, result)
    if ends.is_open or ends.stored or ends.is_shown:
        return False
    if not ends.returned:
        return ends.is_compared
    if not all(_calls_choose(context.analysis, scope) for scope in ends.returned):
        return False
    return training_of(context).training is not Training.THROUGH


def is_stopped_by_callers(analysis: Analysis, function: Scope) -> bool:
    """Whether all visible calls of a function detach its result before any other use."""
    given = given_by(analysis, function)
    if given is None or len(given) < len(analysis.callers.get(function.key, ())):
        return False
    return all(_is_detached(analysis, key) for key in given)


def _is_detached(analysis: Analysis, key: int) -> bool:
    """Whether nothing but `detach` reads a value, under any name."""
    uses = [one for one in analysis.consumers.get(key, ()) if one.operation is not REFERENCE]
    is_kept = key in analysis.escaped or key in analysis.options_escaped
    return bool(uses) and not is_kept and all(one.operation.name == "detach" for one in uses)


def _calls_choose(analysis: Analysis, scope: Scope) -> bool:
    pending, seen, calls = [scope], set[int](), 0
    while pending:
        function = pending.pop()
        if function.key in seen:
            continue
        seen.add(function.key)
        given = given_by(analysis, function)
        if given is None or len(given) < len(analysis.callers.get(function.key, ())):
            return False
        for key in given:
            calls += 1
            ends = ends_of_key(analysis, key)
            is_chosen_by = ends.is_compared or bool(ends.returned)
            if calls > _CALLS_MOST or not is_chosen_by:
                return False
            if ends.is_open or ends.stored or ends.is_shown:
                return False
            pending += ends.returned
    return True
