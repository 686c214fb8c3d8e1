"""The rows of a removed statement, with the comments that are only about it."""

from __future__ import annotations

import re
from dataclasses import dataclass
from typing import Final

import libcst as cst

from mllint_nan.findings import Span
from mllint_nan.syntax.source import Source, descendants

_REST_OF_ROW: Final = re.compile(r"[ \t;]*(?:#[^\r\n]*)?(?:\r\n|\r|\n|$)")
_BLANK_AFTER: Final = re.compile(r"(?:[ \t]*(?:\r\n|\r|\n))*")
_FOR_A_TOOL: Final = re.compile(
    r"#\s*(?:%%|In\[|region\b|endregion\b|fmt:|yapf:|isort:|mllint-nan:|pylint:|pyright:|mypy:)",
    re.I,
)
"""Comments that hold for more than their own row."""


@dataclass(frozen=True, slots=True)
class Removal:
    """A removed statement or part of one; an insertion there replaces only `inside`."""

    span: Span
    inside: Span
    content: str = ""


def is_for_a_tool(comment: str) -> bool:
    """Whether a comment configures a tool from there on, or marks where a cell begins."""
    return _FOR_A_TOOL.match(comment) is not None


def may_go(line: cst.SimpleStatementLine) -> bool:
    """Whether no comment in a statement or after it holds for other statements too."""
    return not any(
        isinstance(part, cst.Comment) and is_for_a_tool(part.value)
        for owner in (*line.body, line.trailing_whitespace)
        for part in descendants(owner)
    )


class RemovedRows:
    """Finds the rows that are removed with the statements of one file."""

    def __init__(self, source: Source) -> None:
        self._source = source

    def of(self, statement: cst.SimpleStatementLine) -> Removal:
        """Return the whole rows of a statement, with the blank rows of the side that has fewer.

        A comment after the statement is removed with it. So are comments directly above, unless a
        statement follows directly, since they may be about that one.
        """
        text, inside = self._source.text, self._source.span(statement.body[0])
        start = self._source.lines.start_of(self._source.lines.position(inside.start).row)
        row = _REST_OF_ROW.match(text, inside.end)
        assert row is not None
        end = row.end()
        after = _BLANK_AFTER.match(text, end)
        assert after is not None
        indent = text[start : inside.start]
        if after[0] or not self._goes_on(end, indent):
            start = self._start_of_comments(start, indent)
        above, below = text[self._start_of_blanks(start) : start], after[0]
        if self._last_character(start - len(above)) in ("", ":"):  # it is the first statement
            end += len(below)
        elif above.count("\n") <= below.count("\n"):
            start -= len(above)
        else:
            end += len(below)
        return Removal(Span(start, end), inside)

    def _goes_on(self, start: int, indent: str) -> bool:
        """Whether a statement of the same block begins in the row at `start`."""
        text = self._source.text
        first = text[start + len(indent) : start + len(indent) + 1]
        return text.startswith(indent, start) and first not in ("", *"# \t\r\n")

    def _start_of_comments(self, start: int, indent: str) -> int:
        """Where the comments directly above a row begin; comments for a tool are kept."""
        lines = self._source.lines
        row = lines.position(start).row
        while row > 1:
            above = self._source.text[lines.start_of(row - 1) : start]
            if not above.startswith(f"{indent}#") or is_for_a_tool(above.strip()):
                break
            row -= 1
            start = lines.start_of(row)
        return start

    def _start_of_blanks(self, start: int) -> int:
        """Where the blank rows directly above a row begin."""
        lines = self._source.lines
        row = lines.position(start).row
        while row > 1 and not self._source.text[lines.start_of(row - 1) : start].strip(" \t\r\n"):
            row -= 1
            start = lines.start_of(row)
        return start

    def _last_character(self, end: int) -> str:
        """The last non-blank character before a position; empty if there is none."""
        text = self._source.text
        while end and text[end - 1].isspace():
            end -= 1
        return text[end - 1 : end]
