"""What an object computes once: while a flag of it is unset, which is then set."""

from __future__ import annotations

from collections.abc import Sequence

from mllint_nan.flow.state import Scope
from mllint_nan.ir.term import ATTRIBUTE, Fact, Term, constant_of, peel
from mllint_nan.rulebook.predicates.context import Context, is_self, stored_in


def is_computed_once(context: Context) -> bool:
    """Whether an object computes the match for its first input only, as to initialise itself.

    The match, or each visible call of its function, is below `if not self.flag`, and the function
    that tests the flag sets it.
    """
    enclosing = context.occurrence.scope.enclosing()
    function = next((scope for scope in enclosing if scope.kind == "function"), None)
    if function is None:
        return False
    if _is_first(context, context.facts, [function]):
        return True
    bindings = context.analysis.bindings.get(function.key, ())
    callers = [caller.scope for caller in context.analysis.callers.get(function.key, ())]
    return bool(bindings) and all(_is_first(context, one.facts, callers) for one in bindings)


def _is_first(context: Context, facts: tuple[Fact, ...], asking: Sequence[Scope]) -> bool:
    return any(_is_unset(context, fact.test, fact.holds, asking) for fact in facts)


def _is_unset(context: Context, test: Term, holds: bool, asking: Sequence[Scope]) -> bool:
    inner = peel(test)
    if inner.operation.name == "logical_not":
        return _is_unset(context, inner.operands[0], not holds, asking)
    if inner.operation is not ATTRIBUTE or not is_self(inner.operands[0]):
        return False
    flag = str(inner.detail)
    if not any(flag in scope.stores for scope in asking):
        return False
    stored = map(constant_of, stored_in(context, flag))
    return (not holds) in [value for value in stored if isinstance(value, bool)]
