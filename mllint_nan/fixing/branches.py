"""Selections between equal values, which are left after fixes of their branches."""

from __future__ import annotations

from collections.abc import Iterator
from typing import Final

import libcst as cst

from mllint_nan.findings import Span
from mllint_nan.flow.state import Analysis
from mllint_nan.ir.term import CONSTANT, OPAQUE, Term, peel, walk
from mllint_nan.syntax.precedence import ATOM, level_of
from mllint_nan.syntax.source import Source, comments_in, descendants

_MAKES: Final = (cst.Call, cst.BinaryOperation, cst.UnaryOperation)
_HOLDS_ANY: Final = (
    cst.Arg,
    cst.Assign,
    cst.AnnAssign,
    cst.AugAssign,
    cst.Return,
    cst.Expr,
    cst.Index,
)


def without_equal_branches(before: str, source: Source, analysis: Analysis) -> str:
    """Return the text of a file with `where(c, x, x)` as `x`, unless an earlier text had that call.

    The condition must be computed elementwise from operands of `x`: any other operand could have
    more axes, which the result would have too.
    """
    text = source.text
    end = len(text)
    places = sorted(_equal(source, analysis), key=lambda place: place[0], reverse=True)
    for span, branch in places:
        if span.end <= end and source.slice(span) not in before:
            text = f"{text[: span.start]}{branch}{text[span.end :]}"
            end = span.start
    return text


def _equal(source: Source, analysis: Analysis) -> Iterator[tuple[Span, str]]:
    """Yield the span of each selection between equal values, and the text of the value."""
    for occurrence in analysis.occurrences:
        term = occurrence.term
        call = term.site
        if term.operation.name != "where" or len(term.operands) != 3:
            continue
        condition, first, second = term.operands
        if first.key != second.key or not isinstance(call, cst.Call) or comments_in(call):
            continue
        node = first.site
        if not isinstance(node, _MAKES) or peel(first).operation.kind == "view":
            continue  # it may share elements with a variable; a selection does not
        if not source.span(call).contains(source.span(node)):
            continue
        if not all(map(_computes, (condition, first))) or not _is_made_of(condition, first):
            continue
        if any(isinstance(part, cst.NamedExpr) for part in descendants(call)):
            continue
        code = source.slice(source.span(node))
        if level_of(node) < ATOM and not isinstance(source.parent(call), _HOLDS_ANY):
            code = f"({code})"
        yield source.span(call), code


def _computes(term: Term) -> bool:
    return all(
        part.operation is not OPAQUE and part.operation.pure and not _writes(part)
        for part in walk(term)
    )


def _writes(term: Term) -> bool:
    return term.written is not None and term.written.inplace


def _is_made_of(condition: Term, value: Term) -> bool:
    return _sources(condition) <= _sources(value)


def _sources(term: Term) -> set[int]:
    """The keys of the terms that a term is computed from elementwise, and whose axes it has."""
    found: set[int] = set()
    pending = [term]
    while pending:
        part = peel(pending.pop())
        if part.operation.kind in ("elementwise", "comparison"):
            pending.extend(part.operands)
        elif part.operation is not CONSTANT:
            found.add(part.key)
    return found
