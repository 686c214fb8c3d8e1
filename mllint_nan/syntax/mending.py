"""Makes Python 3 of a text that is not, row by row, with everything that can be read.

The syntax of Python 2 is replaced by its equivalent; a statement that cannot be read is left out:
what it assigns is unknown, and the block below a header stays. The text is analysed and never
written.

>>> mended = mend("def f(x):\\n    print x\\n    y = x +\\n    return y\\n", SourceError("bad"))
>>> print(mended.text.rstrip())
def f(x):
    print( x)
    y = __unread__
    return y
>>> mended.rows
(3,)
"""

from __future__ import annotations

import ast
import bisect
import io
import re
import tokenize
import warnings
from collections import deque
from collections.abc import Iterator, Sequence
from dataclasses import dataclass
from typing import Final

from mllint_nan.findings import Span
from mllint_nan.syntax.decoding import SourceError
from mllint_nan.syntax.lines import Lines
from mllint_nan.syntax.python2 import Change
from mllint_nan.syntax.statements import (
    Line,
    cut,
    indentation,
    lines_of,
    row_ends,
    width,
)
from mllint_nan.syntax.unread import (
    UNKNOWN,
    Statement,
    changed,
    end_of,
    exchanged,
    is_good,
    read_statement,
)

_LONGEST: Final = 1_000_000
"""The most characters of a text to mend; a longer one that is not Python is hardly a program."""
_READ_AGAIN_MOST: Final = 500_000
"""The most characters that are read again in search of the ends of statements."""
_ROUNDS_MOST: Final = 20
"""The most attempts to read the whole, each of which shows a statement that does not fit."""
_BEFORE_ELSE: Final = ("if", "elif", "for", "while", "except", "async")
_ROWS_TOLD: Final = 5
"""The most rows left out that a message lists."""
_STEP: Final = " " * 4
_NO_CODE: Final = frozenset((tokenize.INDENT, tokenize.DEDENT, tokenize.NL, tokenize.COMMENT))
"""Tokens that begin no statement."""
_DIVIDER: Final = re.compile(r"# notebook-* cell\n")
"""The line above each cell in the program of a notebook."""


@dataclass(frozen=True)
class Mended:
    """Python 3 with the rows of a text that is not; `rows` are those where unread statements begin.

    `errors` say why it is not, for a notebook one per such cell, and name the rows left out.
    """

    text: str
    rows: tuple[int, ...]
    errors: tuple[SourceError, ...]
    _changes: tuple[Change, ...]
    _starts: tuple[int, ...]
    """The offset of each change in the mended text."""

    def original(self, span: Span) -> Span:
        """The place in the original of a place in the mended text."""
        return Span(self._place(span.start, is_end=False), self._place(span.end, is_end=True))

    def _place(self, offset: int, *, is_end: bool) -> int:
        index = bisect.bisect_right(self._starts, offset) - 1
        while is_end and index >= 0 and self._starts[index] == offset:
            index -= 1  # what begins where a span ends is no part of it
        if index < 0:
            return offset
        change, start = self._changes[index], self._starts[index]
        behind = offset - start - len(change.text)
        if behind >= 0:
            return change.end + behind
        return change.end if is_end else change.start


def mend(text: str, error: SourceError) -> Mended | None:
    """The text with everything mended that is not Python 3; `None` if that is impossible.

    `error` says why the text is not Python 3.
    """
    if len(text) > _LONGEST or "\0" in text:
        return None
    changes: list[Change] = []
    rows: list[int] = []
    errors: list[SourceError] = []
    with warnings.catch_warnings():
        warnings.simplefilter("ignore")
        for part in parts_of(text):
            refused = _error(text[part.start : part.stop])
            if refused is None:
                continue
            found, unread = _part_mended(text, part)
            changes += found
            rows += (part.first_row - 1 + row for row in unread)
            errors.append(_told(refused if part.is_cell else error, unread, part))
        mended = _mended(text, changes, tuple(rows), tuple(errors or (error,)))
        return mended if _error(mended.text) is None else None


def in_python_3(text: str) -> str | None:
    """The Python 3 equivalent of a text of Python 2; `None` if any of it cannot be read.

    >>> in_python_3("print 'a', len(x)\\n")
    "print( 'a', len(x))\\n"
    >>> in_python_3("print 'a'\\nx = (\\n")
    """
    mended = mend(text, SourceError("not Python 3"))
    return mended.text if mended is not None and not mended.rows else None


def with_spaces(text: str) -> Mended | None:
    """The same program, indented by spaces alone; `None` if that is what it is.

    CPython takes a tab to the next multiple of eight columns. It accepts some mixtures of tabs and
    spaces that other parsers reject.

    >>> with_spaces("if x:\\n\\ta\\n").text
    'if x:\\n        a\\n'
    """
    starts = [0, *row_ends(text)]
    changes = list[Change]()
    try:
        is_first = True
        for token in tokenize.generate_tokens(io.StringIO(text, newline="").readline):
            if token.type in _NO_CODE:
                continue
            if is_first:
                start = starts[token.start[0] - 1]
                written = text[start : start + token.start[1]]
                spaced = written.expandtabs()
                if spaced != written:
                    changes.append(Change(start, start + len(written), spaced))
            is_first = token.type == tokenize.NEWLINE
        mended = _mended(text, changes, (), ())
        is_same = ast.dump(ast.parse(text)) == ast.dump(ast.parse(mended.text))
    except (SyntaxError, tokenize.TokenError, ValueError, RecursionError, MemoryError):
        return None
    return mended if changes and is_same else None


def _told(error: SourceError, unread: Sequence[int], part: Part) -> SourceError:
    """The error of a part, at its place in the whole, with the rows that are left out."""
    row = min(part.first_row - 1 + error.row, part.last_row)
    message = error.message
    if unread:
        some = ", ".join(map(str, unread[:_ROWS_TOLD]))
        more = f" and {len(unread) - _ROWS_TOLD} more" if len(unread) > _ROWS_TOLD else ""
        message += f"; left out: {'line' if len(unread) == 1 else 'lines'} {some}{more}"
    return SourceError(message, row, error.column)


def _part_mended(text: str, part: Part) -> tuple[list[Change], tuple[int, ...]]:
    """The changes in a part, and its rows that are not read."""
    program = _Program.of(text, part)
    for _ in range(_ROUNDS_MOST):
        changes = program.changes()
        error = _error(changed(text, part.start, part.stop, changes))
        if error is None:
            return changes, program.unread()
        if not program.give_up(error.row):
            break
    return [exchanged(text, part.start, part.stop, "")], (1,)


def _error(text: str) -> SourceError | None:
    """The error for which CPython refuses a text; `None` if it accepts it."""
    try:
        ast.parse(text)
    except SyntaxError as error:
        return SourceError(error.msg, error.lineno or 1, error.offset or 1)
    except (ValueError, RecursionError, MemoryError):
        return SourceError("nested too deeply", 0)
    return None


def _mended(
    text: str,
    changes: Sequence[Change],
    rows: tuple[int, ...],
    errors: tuple[SourceError, ...],
) -> Mended:
    starts, moved = [], 0
    for change in changes:
        starts.append(change.start + moved)
        moved += len(change.text) - (change.end - change.start)
    mended = changed(text, 0, len(text), changes)
    return Mended(mended, rows, errors, tuple(changes), tuple(starts))


@dataclass(frozen=True, slots=True)
class Part:
    """A part of a program that is read by itself, such as a notebook's cell; rows count from 1."""

    start: int
    stop: int
    first_row: int
    last_row: int
    is_cell: bool


def parts_of(text: str) -> list[Part]:
    """The cells of a notebook's program, or any other text as a whole."""
    lines = Lines(text)
    divider = _DIVIDER.match(text)
    if divider is None:
        return [Part(0, len(text), 1, lines.position(len(text)).row, False)]
    begun = [found.end() for found in re.finditer(rf"(?m)^{re.escape(divider[0])}", text)]
    ended = (*(start - len(divider[0]) for start in begun[1:]), len(text))
    return [
        Part(start, stop, rows.start, rows.stop - 1, True)
        for start, stop in zip(begun, ended, strict=True)
        for rows in [_rows(lines, start, stop)]
    ]


def _rows(lines: Lines, start: int, stop: int) -> range:
    first = lines.position(start).row
    return range(first, max(lines.position(max(stop - 1, start)).row, first) + 1)


class _Program:
    """The statements of a text, in order."""

    def __init__(self, text: str, statements: list[Statement]) -> None:
        self.text = text
        self.statements = statements

    @classmethod
    def of(cls, text: str, part: Part) -> _Program:
        content = text[part.start : part.stop]
        starts = [part.start, *(part.start + end for end in row_ends(content))]
        pending = deque(lines_of(text, part.start, part.stop))
        budget = _READ_AGAIN_MOST
        statements: list[Statement] = []
        while pending:
            line = pending.popleft()
            row = bisect.bisect_right(starts, line.start)
            place = None if line.is_closed or budget <= 0 else cut(text, line)
            if place is not None:
                budget -= line.end - place
                pending.extendleft(reversed(lines_of(text, place, line.end)))
                head = lines_of(text, line.start, place)
                line = Line(tuple(token for one in head for token in one.tokens), place)
            if is_good(text, line):
                statements.append(Statement(line, line.pieces(), row))
            else:
                statements.append(read_statement(text, line, row))
        return cls(text, statements)

    def unread(self) -> tuple[int, ...]:
        return tuple(one.row for one in self.statements if one.is_unread)

    def give_up(self, row: int) -> bool:
        """Leave out the statement on a row; return whether there was one left."""
        rows = [one.row for one in self.statements]
        index = bisect.bisect_right(rows, row) - 1
        while index >= 0 and self.statements[index].is_gone:
            index -= 1
        if row < 1 or index < 0:
            return False
        statement = self.statements[index]
        statement.is_unread = True
        statement.attempts += 1
        if statement.attempts == 1 and statement.pieces[0].is_header:
            header = statement.pieces[0]
            statement.header = [exchanged(self.text, header.start, header.end, UNKNOWN)]
        else:
            statement.is_gone = True
        return True

    def _leave_decorators(self) -> None:
        """Leave out decorators that decorate nothing."""
        waiting: list[Statement] = []
        for one in self.statements:
            if one.is_gone:
                continue
            if one.word == "@":
                waiting.append(one)
                continue
            if one.word not in ("def", "class", "async"):
                for decorator in waiting:
                    decorator.is_gone = decorator.is_unread = True
            waiting = []
        for decorator in waiting:
            decorator.is_gone = decorator.is_unread = True

    def changes(self) -> list[Change]:
        """All changes, in order."""
        found: list[Change] = []
        self._leave_decorators()
        statements = [one for one in self.statements if not one.is_gone]
        for one in self.statements:
            if one.is_gone:
                found.append(exchanged(self.text, one.line.start, end_of(self.text, one.line), ""))
        layout = _Layout(self.text)
        for one in statements:
            layout.add(one)
        layout.close()
        for one in statements:
            found += (*layout.headers.get(id(one), one.header), *one.body)
        return sorted((*found, *layout.changes()), key=lambda change: (change.start, change.end))


class _Layout:
    """Finds the block of each statement as Python 2 does: a tab fills up eight columns."""

    def __init__(self, text: str) -> None:
        self._text = text
        self._widths = [0]
        self._blanks = [""]
        self._depths: list[tuple[Statement, int]] = []
        self._opened: Statement | None = None
        self._clauses: dict[int, list[Statement]] = {}
        self._is_uneven = False
        self._bodies: list[Change] = []
        self.headers: dict[int, list[Change]] = {}
        """The changes of headers that belong to no other, by the identity of their statements."""

    def add(self, one: Statement) -> None:
        blanks = indentation(self._text, one.line.start)
        columns = self._widths[-1] if blanks is None else width(blanks)
        if self._opened is not None:
            if columns > self._widths[-1]:
                self._widths.append(columns)
                self._is_uneven |= not (blanks or "").startswith(self._blanks[-1])
                self._blanks.append(blanks or "")
            else:
                self._leave_empty(self._opened)
            self._opened = None
        while columns < self._widths[-1]:
            self._close_clauses()
            self._widths.pop()
            self._blanks.pop()
        self._is_uneven |= blanks != self._blanks[-1]
        depth = len(self._widths) - 1
        self._depths.append((one, depth))
        self._relate(one, depth)
        if one.opens:
            self._opened = one

    def close(self) -> None:
        if self._opened is not None:
            self._leave_empty(self._opened)
        while self._widths:
            self._close_clauses()
            self._widths.pop()

    def changes(self) -> Iterator[Change]:
        yield from self._bodies
        if not self._is_uneven:
            return
        for one, depth in self._depths:
            blanks = indentation(self._text, one.line.start)
            if blanks is not None and blanks != _STEP * depth:
                yield Change(one.line.start - len(blanks), one.line.start, _STEP * depth)

    def _leave_empty(self, one: Statement) -> None:
        end = one.pieces[0].end
        self._bodies.append(Change(end, end, " pass"))

    def _relate(self, one: Statement, depth: int) -> None:
        """Attach a clause to the statement before it at its depth, or make it a plain header."""
        before = self._clauses.get(depth, [])
        words = [other.word for other in before]
        fits = {
            "elif": words[:1] == ["if"] and words[-1] in ("if", "elif"),
            "else": bool(words) and words[-1] in _BEFORE_ELSE,
            "except": words[:1] == ["try"] and words[-1] in ("try", "except"),
            "finally": words[:1] == ["try"] and words[-1] != "finally",
        }
        if fits.get(one.word):
            before.append(one)
            return
        if one.word in fits:
            self._replace(one, UNKNOWN)
        self._end_clauses(depth)
        self._clauses[depth] = [one] if one.pieces[0].is_header else []

    def _end_clauses(self, depth: int) -> None:
        """Replace the header of a `try` without clauses by that of a plain block."""
        ended = self._clauses.pop(depth, [])
        if [one.word for one in ended] == ["try"]:
            self._replace(ended[0], "if 1:")

    def _close_clauses(self) -> None:
        self._end_clauses(len(self._widths) - 1)

    def _replace(self, one: Statement, header: str) -> None:
        piece = one.pieces[0]
        self.headers[id(one)] = [exchanged(self._text, piece.start, piece.end, header)]
