"""Where a new import goes: below the imports that are there, above the code."""

from __future__ import annotations

import libcst as cst

from mllint_nan.findings import Edit, Span
from mllint_nan.flow.state import Analysis
from mllint_nan.syntax.source import Source


def import_edit(source: Source, analysis: Analysis, statement: str) -> Edit:
    """The edit that adds `statement` once, after the last import at the top of the module."""
    newline = source.module.default_newline
    last: cst.SimpleStatementLine | None = None
    docstring: cst.SimpleStatementLine | None = None
    for index, node in enumerate(source.module.body):
        if not isinstance(node, cst.SimpleStatementLine):
            if last is not None:
                break
            continue
        if isinstance(node.body[0], cst.Import | cst.ImportFrom):
            last = node
        elif index == 0 and isinstance(node.body[0], cst.Expr):
            docstring = node
        elif last is not None:
            break
    anchor = last or docstring
    if anchor is None:
        offset, content = 0, f"{statement}{newline}"
    else:
        end = source.span(anchor).end
        offset, content = end, f"{newline}{statement}"
        if anchor is docstring:
            content = f"{newline}{newline}{statement}"
    position = source.lines.position(offset)
    return Edit(Span(offset, offset), content, position, position)
