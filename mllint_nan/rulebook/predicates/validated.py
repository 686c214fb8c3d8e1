"""The ranges of settings that the program checks before it stores them or passes them on."""

from __future__ import annotations

from collections.abc import Iterator

from mllint_nan.domains.value import Value
from mllint_nan.flow.forwarded_arguments import handed_for
from mllint_nan.ir.term import ATTRIBUTE, INPUT, Term, behind_views, peel
from mllint_nan.rulebook.predicates.context import Context, is_self, stored_in


def is_kept_a_fraction(context: Context, q: Term) -> bool:
    """Whether q is checked to lie between 0 and 1, so that anything else is refused."""
    return any(
        0 <= value.lo < value.hi <= 1 and not value.integer for value in _checked(context, q)
    )


def _checked(context: Context, setting: Term) -> Iterator[Value]:
    """Yield what is known of a setting where an attribute stores it, or a call passes it on."""
    inner = behind_views(setting)
    if inner.operation is ATTRIBUTE and is_self(inner.operands[0]):
        where = context.analysis.kept_where
        for kept in map(peel, stored_in(context, str(inner.detail))):
            if kept.operation is INPUT and kept.key in where:
                yield context.oracle.value(kept, where[kept.key])
    elif inner.operation is INPUT:
        yield context.value(inner)
        for given, facts in handed_for(context.analysis, inner):
            yield context.oracle.value(given, facts)
