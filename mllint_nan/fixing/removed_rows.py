"""The rows of a statement that goes, with the comments that are about nothing else."""

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
"""What holds for more than its own row."""


@dataclass(frozen=True, slots=True)
class Removal:
    """A statement or a part of one that goes; `inside` is what an insertion there replaces."""

    span: Span
    inside: Span
    content: str = ""


def is_for_a_tool(comment: str) -> bool:
    """Whether a comment tells a tool what holds from there on, or where a cell begins."""
    return _FOR_A_TOOL.match(comment) is not None


def may_go(line: cst.SimpleStatementLine) -> bool:
    """Whether no comment in a statement or behind it holds for others too."""
    return not any(
        isinstance(part, cst.Comment) and is_for_a_tool(part.value)
        for owner in (*line.body, line.trailing_whitespace)
        for part in descendants(owner)
    )


class RemovedRows:
    """Finds the rows that go with the statements of one file."""

    def __init__(self, source: Source) -> None:
        self._source = source

    def of(self, statement: cst.SimpleStatementLine) -> Removal:
        """The whole rows of a statement, and of blank ones on both sides the fewer.

        A comment behind it goes with it. So do comments directly above, unless a statement follows
        directly, which they may be about.
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
        if self._last_character(start - len(above)) in ("", ":"):  # it is the first one
            end += len(below)
        elif above.count("\n") <= below.count("\n"):
            start -= len(above)
        else:
            end += len(below)
        return Removal(Span(start, end), inside)

    def _goes_on(self, start: int, indent: str) -> bool:
        """Whether a statement of the same block begins at a row."""
        text = self._source.text
        first = text[start + len(indent) : start + len(indent) + 1]
        return text.startswith(indent, start) and first not in ("", *"# \t\r\n")

    def _start_of_comments(self, start: int, indent: str) -> int:
        """Where the comments directly above a row begin; those for a tool stay."""
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
        """The last character before a place that is no blank; empty if there is none."""
        text = self._source.text
        while end and text[end - 1].isspace():
            end -= 1
        return text[end - 1 : end]
