"""Where a new import goes: below the imports that are there, above the code."""

from __future__ import annotations

import re
from typing import Final

import libcst as cst

from mllint_nan.findings import Edit, Span
from mllint_nan.flow.state import Analysis
from mllint_nan.syntax.source import Source

_CODING: Final = re.compile(r"[ \t\f]*#.*?coding[:=]")
_COMMENT: Final = re.compile(r"[ \t]*#[^\r\n]*")


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
        offset, content = _below_header(source.text), f"{statement}{newline}"
    else:
        offset, content = (
            _end_of_line(source.text, source.span(anchor).end),
            f"{newline}{statement}",
        )
        if anchor is docstring:
            content = f"{newline}{newline}{statement}"
    position = source.lines.position(offset)
    return Edit(Span(offset, offset), content, position, position)


def _below_header(text: str) -> int:
    """Where the lines end that have to stand first: an interpreter's and an encoding's."""
    offset = 0
    for line in text.splitlines(keepends=True)[:2]:
        if not (line.startswith("#!") or _CODING.match(line)):
            break
        offset += len(line)
    return offset


def _end_of_line(text: str, offset: int) -> int:
    """The end of the line, with a comment that belongs to what stands there."""
    rest = text[offset:]
    comment = _COMMENT.match(rest)
    return offset + (comment.end() if comment is not None else 0)
