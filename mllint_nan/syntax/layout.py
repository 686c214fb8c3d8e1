"""The layout of changed text: lines that a fix made too long are broken, all others stay."""

from __future__ import annotations

import io
import re
import token
import tokenize
from collections.abc import Iterator, Sequence
from dataclasses import dataclass
from difflib import SequenceMatcher
from heapq import nlargest
from typing import Final

from mllint_nan.syntax.breaking import broken, broken_inside

USUAL: Final = 88
"""The line length in columns if a file does not show its own."""
_SEVERAL: Final = 3
"""The number of wide lines of code that show the width of a file."""
_ROWS: Final = re.compile(r"[^\r\n]*(?:\r\n|\r|\n)|[^\r\n]+")
_LEFT_ALONE: Final = re.compile(
    r"#\s*(noqa(?!\s*:)|noqa\s*:.*\bE501\b|fmt:\s*skip|yapf:\s*disable)", re.I
)
_EXEMPT: Final = re.compile(
    r"#\s*(noqa(?!\s*:)|noqa\s*:.*\bE501\b|pylint:\s*disable=.*\bline-too-long\b)", re.I
)
_SWITCH: Final = re.compile(r"\s*#\s*fmt:\s*(?P<to>on|off)\b", re.I)
_PRAGMA: Final = re.compile(r"#\s*(noqa|type:|pyright:|pylint:|mypy:|ruff:|fmt:|mllint-nan:)", re.I)


@dataclass(frozen=True, slots=True)
class _Logical:
    """A logical line; rows are counted from 0."""

    first: int
    last: int
    comment: str
    """The comment behind the code of its last row."""
    is_plain: bool
    """Whether it has neither a comment before its end nor a string over several rows."""


def laid_out(before: str, after: str, limit: int) -> str:
    """`after` with those lines broken that are not in `before` and exceed the limit.

    A line that replaces one which was already too long stays as it is. A limit of 0 stands for the
    usual one, or for the width that several lines had.
    """
    old, new = _ROWS.findall(before), _ROWS.findall(after)
    limit = limit or _width_of_file(old)
    rows = set(_too_long(old, new, limit))
    if not rows:
        return after
    lines: list[str] = []
    end = 0
    for logical in _logical_lines(after):
        touched = rows.intersection(range(logical.first, logical.last + 1))
        if not touched or not logical.is_plain or _LEFT_ALONE.match(logical.comment):
            continue
        if _is_switched_off(new[: logical.first]):
            continue
        lines += new[end : logical.first]
        end = logical.last + 1
        lines += _broken(new[logical.first : end], logical, sorted(touched), limit)
    return "".join((*lines, *new[end:]))


def _width_of_file(rows: Sequence[str]) -> int:
    """The columns that several lines of code need; one or two wider lines are exceptions."""
    widest = nlargest(_SEVERAL, (_width(row) for row in rows if not _is_exempt(row)))
    return max(USUAL, widest[-1]) if len(widest) == _SEVERAL else USUAL


def _is_exempt(row: str) -> bool:
    """Whether a row is a comment, or is marked as one that may be too long."""
    return row.lstrip().startswith("#") or _EXEMPT.search(row) is not None


def _too_long(old: Sequence[str], new: Sequence[str], limit: int) -> Iterator[int]:
    """Yield the new rows that exceed the limit, unless they replace rows that did."""
    for kind, i1, i2, j1, j2 in SequenceMatcher(None, old, new, autojunk=False).get_opcodes():
        if kind == "equal":
            continue
        paired = i2 - i1 == j2 - j1
        for row in range(j1, j2):
            replaced = old[i1 + row - j1 : i1 + row - j1 + 1] if paired else old[i1:i2]
            if _width(new[row]) > limit and all(_width(line) <= limit for line in replaced):
                yield row


def _width(line: str) -> int:
    """The columns of a line, without a comment that addresses a tool."""
    code = line.rstrip()
    pragma = _PRAGMA.search(code)
    return len(code[: pragma.start()].rstrip() if pragma is not None else code)


def _logical_lines(text: str) -> Iterator[_Logical]:
    first: int | None = None
    comments: list[tokenize.TokenInfo] = []
    spans_rows = False
    try:
        for one in tokenize.generate_tokens(io.StringIO(text, newline="").readline):
            if one.type in (token.NL, token.INDENT, token.DEDENT, token.ENDMARKER):
                continue
            if one.type == token.COMMENT:
                comments.append(one)
                continue
            if one.type != token.NEWLINE:
                if first is None:
                    first, comments, spans_rows = one.start[0] - 1, [], False
                spans_rows |= one.start[0] != one.end[0] or one.string == ";"
                continue
            if first is not None:
                last = one.start[0] - 1
                trailing = [comment for comment in comments if comment.start[0] - 1 == last]
                is_plain = not spans_rows and len(trailing) == len(comments) and len(trailing) < 2
                comment = trailing[0].string if trailing else ""
                yield _Logical(first, last, comment, is_plain)
            first = None
    except (tokenize.TokenError, SyntaxError):
        return


def _is_switched_off(rows: Sequence[str]) -> bool:
    """Whether the formatter is switched off after these rows."""
    switches = (switch["to"] for row in reversed(rows) if (switch := _SWITCH.match(row)))
    return next(switches, "on").lower() == "off"


def _broken(
    rows: Sequence[str], logical: _Logical, touched: Sequence[int], limit: int
) -> list[str]:
    """The rows of one logical line, broken if all of them then fit."""
    newline = rows[-1][len(rows[-1].rstrip("\r\n")) :] or "\n"
    if len(rows) == 1:
        code = rows[0].rstrip()
        comment = logical.comment
        lines = broken(code.removesuffix(comment).rstrip(), limit)
        if lines is None:
            return list(rows)
        if comment:
            lines[-1] += code[len(code.removesuffix(comment).rstrip()) :]
        ended = [line + newline for line in lines]
        ended[-1] = ended[-1].rstrip("\r\n") + rows[0][len(rows[0].rstrip("\r\n")) :]
        return ended
    result: list[str] = []
    for number, row in enumerate(rows, logical.first):
        inside = logical.first < number < logical.last
        lines = broken_inside(row.rstrip(), limit) if number in touched and inside else None
        result += [row] if lines is None else [line + newline for line in lines]
    return result
