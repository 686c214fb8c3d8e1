"""Conditions on the parameters of a function under which a match is reached."""

from __future__ import annotations

from collections.abc import Iterable, Iterator
from typing import Final

from mllint_nan.flow.state import Analysis, Scope
from mllint_nan.ir.term import CONSTANT, INPUT, OPAQUE, Fact, Term, peel
from mllint_nan.rulebook.predicates.context import Context

_COMPARED: Final = {
    "eq": ("==", True),
    "ne": ("==", False),
    "is": ("is", True),
    "is not": ("is", False),
}
"""For each comparison: the one that is asked about, and whether that holds then."""
_SETTINGS: Final = (str, int, type(None))


def is_uncalled(context: Context, facts: Iterable[Fact]) -> bool:
    """Whether all calls in the project pass something that excludes the path to a match."""
    ways = _ways(context.analysis, context.occurrence.scope, facts)
    return any(context.analysis.unrun(way).name for way in ways)


def _ways(analysis: Analysis, scope: Scope, facts: Iterable[Fact]) -> Iterator[str]:
    """Yield the function with each condition on the path: `dice[not reduction == 'sum']`."""
    around = {outer.key: outer for outer in scope.enclosing() if outer.kind == "function"}
    for fact in facts:
        parameter, condition, holds = _condition(fact)
        key, name = analysis.parameters.get(parameter.key, (0, ""))
        function = around.get(key)
        if function is None or parameter.operation is not INPUT or _is_inner(function):
            continue
        yield f"{function.definition}[{'' if holds else 'not '}{name}{condition}]"


def _is_inner(function: Scope) -> bool:
    return function.parent is None or function.parent.kind == "function"


def _condition(fact: Fact) -> tuple[Term, str, bool]:
    """The subject of a fact, what it is compared with, and whether the comparison holds."""
    inner, holds = peel(fact.test), fact.holds
    while inner.operation.name == "logical_not":
        inner, holds = peel(inner.operands[0]), not holds
    name = str(inner.detail) if inner.operation is OPAQUE else inner.operation.name
    compared = _COMPARED.get(name)
    if compared is None or len(inner.operands) != 2:
        return inner, "", holds
    left, right = map(peel, inner.operands)
    if left.operation is CONSTANT:
        left, right = right, left
    if right.operation is not CONSTANT or not isinstance(right.detail, _SETTINGS):
        return inner, "", holds
    sign, is_so = compared
    return left, f" {sign} {right.detail!r}", holds is is_so
