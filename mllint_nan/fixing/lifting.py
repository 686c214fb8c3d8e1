"""Lifting: an operand that a fix reads twice gets a name, on a line above its statement."""

from __future__ import annotations

from collections.abc import Callable
from typing import Final

import libcst as cst

from mllint_nan.findings import Span
from mllint_nan.ir.term import Term
from mllint_nan.syntax.source import Source, comments_in, descendants

_EVALUATED_LATER: Final = (
    cst.Lambda,
    cst.CompFor,
    cst.GeneratorExp,
    cst.ListComp,
    cst.SetComp,
    cst.DictComp,
    cst.IfExp,
    cst.BooleanOperation,
    cst.NamedExpr,
    cst.Await,
    cst.Yield,
    cst.Assert,
    cst.Del,
)
"""Nodes whose parts may be evaluated more than once, later, or not at all."""
_ROLES: Final = {
    "sum": "total",
    "mean": "average",
    "count_nonzero": "count",
    "max": "largest",
    "min": "smallest",
    "norm": "length",
    "std": "deviation",
    "var": "variance",
    "sub": "difference",
    "mul": "product",
    "div": "ratio",
    "sqrt": "root",
}


def statement_of(
    source: Source, node: cst.BaseExpression, acts: Callable[[cst.Call], bool]
) -> Span | None:
    """The statement above which `node` can be computed instead; `None` if it has to stay.

    The statement has its own line, evaluates the node exactly once and contains no `:=`. Before
    the node, it calls nothing that does more than compute, according to `acts`.
    """
    around = source.parent(node)
    while around is not None and not isinstance(around, cst.SimpleStatementLine):
        if isinstance(around, (*_EVALUATED_LATER, cst.BaseCompoundStatement)):
            return None
        if isinstance(around, cst.Comparison) and len(around.comparisons) > 1:
            return None
        around = source.parent(around)
    if around is None or len(around.body) != 1 or comments_in(node):
        return None
    start = source.span(node).start
    for part in descendants(around):
        if isinstance(part, cst.NamedExpr):
            return None
        if isinstance(part, cst.Call) and source.span(part).end <= start and acts(part):
            return None
    return source.span(around.body[0])


def role_of(operand: Term) -> str:
    """The word for the result of an operation; empty if there is none."""
    while operand.operation.kind == "view" and operand.operands:
        operand = operand.operands[0]
    return _ROLES.get(operand.operation.name, "")
