"""Statements on lines of their own: inserted above others, or removed."""

from __future__ import annotations

import libcst as cst

from mllint_nan.findings import Edit, Span
from mllint_nan.ir.term import Term
from mllint_nan.syntax.precedence import Unrenderable
from mllint_nan.syntax.source import Source, comments_in


class StatementLines:
    """Writes the lines of one file."""

    def __init__(self, source: Source) -> None:
        self._source = source

    def text_of(self, term: Term | None) -> str:
        """Return a dotted name as written in the source."""
        if term is None or not isinstance(term.site, cst.Name | cst.Attribute):
            raise Unrenderable("it has no name")
        return self._source.slice(self._source.span(term.site))

    def inserted_above(self, node: object, text: str) -> Edit:
        """Insert `text` on a line of its own, above the statement that contains `node`."""
        whole = self._line_of(node)
        newline = self._source.module.default_newline
        at = Span(whole.start, whole.start)
        return self._edit(at, f"{text}{newline}{self._indent(whole)}")

    def removed(self, node: object) -> Edit:
        """Remove the statement that contains `node`, with its lines."""
        whole = self._line_of(node)
        statement = self._statement(node)
        block = self._source.parent(statement)
        if not isinstance(block, cst.IndentedBlock) or len(block.body) < 2:
            raise Unrenderable("the block would be empty")
        if comments_in(statement) or statement.leading_lines:
            raise Unrenderable("a comment refers to it")
        lines = self._source.lines
        start = lines.start_of(lines.position(whole.start).row)
        end = lines.start_of(lines.position(whole.end).row + 1)
        return self._edit(Span(start, end), "")

    def _line_of(self, node: object) -> Span:
        statement = self._statement(node)
        whole = self._source.span(statement.body[0])
        if self._indent(whole).strip():
            raise Unrenderable("the statement shares its line")
        return whole

    def _statement(self, node: object) -> cst.SimpleStatementLine:
        """The statement line that contains a node and no other statement."""
        around = node if isinstance(node, cst.CSTNode) else None
        while around is not None and not isinstance(around, cst.BaseStatement | cst.BaseSuite):
            if isinstance(around, cst.Lambda | cst.BaseComp | cst.IfExp | cst.BooleanOperation):
                raise Unrenderable("it is not made whenever the statement is")
            around = self._source.parent(around)
        if not isinstance(around, cst.SimpleStatementLine) or len(around.body) != 1:
            raise Unrenderable("the statement shares its line")
        return around

    def _indent(self, whole: Span) -> str:
        lines = self._source.lines
        return self._source.text[lines.start_of(lines.position(whole.start).row) : whole.start]

    def _edit(self, span: Span, content: str) -> Edit:
        lines = self._source.lines
        return Edit(span, content, lines.position(span.start), lines.position(span.end))
