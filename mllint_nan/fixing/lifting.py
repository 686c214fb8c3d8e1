"""An operand that a fix reads twice gets a name, on a line of its own above its statement."""

from __future__ import annotations

from typing import Final

import libcst as cst

from mllint_nan.findings import Span
from mllint_nan.ir.term import OPAQUE, Term, walk
from mllint_nan.syntax.render import comments_in
from mllint_nan.syntax.source import Source, children

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
"""What is inside is evaluated more than once, or perhaps not at all."""
_DRAWS: Final = frozenset(("normal", "uniform", "dropout", "gumbel_softmax"))
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


def statement_of(source: Source, node: cst.BaseExpression, operand: Term) -> Span | None:
    """The statement above which `node` can be computed instead; `None` if it has to stay.

    It stands on a line of its own, evaluates the node once and in any case, and nothing before the
    node that could matter to it.
    """
    inner: cst.CSTNode = node
    around = source.parent(node)
    while around is not None and not isinstance(around, cst.SimpleStatementLine):
        if isinstance(around, (*_EVALUATED_LATER, cst.BaseCompoundStatement)):
            return None
        if isinstance(around, cst.Comparison) and len(around.comparisons) > 1:
            return None
        inner, around = around, source.parent(around)
    if around is None or len(around.body) != 1 or comments_in(node):
        return None
    if not _is_pure(operand) and _calls_before(source, inner, node):
        return None
    return source.span(around.body[0])


def role_of(operand: Term) -> str:
    """What the result of an operation is called; empty if nothing says."""
    while operand.operation.kind == "view" and operand.operands:
        operand = operand.operands[0]
    return _ROLES.get(operand.operation.name, "")


def _is_pure(term: Term) -> bool:
    """Nothing in it acts on anything, or differs from one time to the next."""
    return not any(
        part.operation.name in _DRAWS
        or (part.operation is OPAQUE and str(part.detail).startswith("call"))
        for part in walk(term)
    )


def _calls_before(source: Source, statement: cst.CSTNode, node: cst.BaseExpression) -> bool:
    """Whether the statement calls something before it comes to the node."""
    start = source.span(node).start
    pending: list[cst.CSTNode] = [statement]
    while pending:
        part = pending.pop()
        if isinstance(part, cst.Call) and source.span(part).end <= start:
            return True
        pending.extend(children(part))
    return False
