"""Two successive repairs as one repair of the original text."""

from __future__ import annotations

import re
from collections.abc import Iterable, Iterator, Sequence, Set
from dataclasses import dataclass, replace
from typing import Final

from mllint_nan.findings import Edit, Fix, Span
from mllint_nan.syntax.lines import Lines

_IMPORT: Final = re.compile(r"\s*(?:import|from)\s").match


@dataclass(frozen=True, slots=True)
class _Piece:
    """A part of a text: a part of the original, or what was written instead."""

    length: int
    start: int = 0
    """Where the part begins in the original."""
    written: str | None = None

    def part(self, start: int, end: int) -> _Piece:
        if self.written is not None:
            return _Piece(end - start, 0, self.written[start:end])
        return _Piece(end - start, self.start + start)


def joined(fix: Fix, text: str, steps: Iterable[Iterable[Edit]]) -> Fix:
    """Return a fix that takes all these steps, with a message that describes the outcome."""
    edits = composed(text, steps)
    message, place = fix.message, None
    first = next((edit for edit in fix.edits if _shown(edit) in message), None)
    if first is not None:
        place = next((edit for edit in edits if edit.span.contains(first.span)), None)
    if first is not None and place is not None:
        message = message.replace(_shown(first), _shown(place))
    elsewhere = [edit for edit in edits if edit is not place and not _is_known(edit, fix)]
    return replace(fix, edits=edits, message=with_places(message, elsewhere))


def with_places(message: str, edits: Iterable[Edit]) -> str:
    """Return a message that names the other lines where a fix writes anything but imports."""
    rows = {edit.start.row for edit in edits if edit.content.strip() and not _IMPORT(edit.content)}
    return with_rows(message, rows)


def with_rows(message: str, rows: Set[int]) -> str:
    """Return the message of a fix that concerns these other rows too."""
    if not rows:
        return message
    return f"{message}; also line{'s' if len(rows) > 1 else ''} {', '.join(map(str, sorted(rows)))}"


def _shown(edit: Edit) -> str:
    """Return the content of an edit as a message shows it."""
    return f"`{' '.join(edit.content.split())}`"


def _is_known(edit: Edit, fix: Fix) -> bool:
    """Whether the fix itself writes at the place of an edit, or in the same row."""
    return any(edit.span.overlaps(one.span) or edit.start.row == one.start.row for one in fix.edits)


def composed(text: str, steps: Iterable[Iterable[Edit]]) -> tuple[Edit, ...]:
    """Return the edits of `text` that combine the steps, each of which edits the last's result."""
    pieces = [_Piece(len(text))]
    for edits in steps:
        pieces = list(_after(pieces, sorted(set(edits))))
    return tuple(_edits(text, pieces))


def _after(pieces: Sequence[_Piece], edits: Sequence[Edit]) -> Iterator[_Piece]:
    end = 0
    for edit in edits:
        yield from _between(pieces, end, edit.span.start)
        yield _Piece(len(edit.content), 0, edit.content)
        end = edit.span.end
    yield from _between(pieces, end, sum(piece.length for piece in pieces))


def _between(pieces: Sequence[_Piece], start: int, end: int) -> Iterator[_Piece]:
    place = 0
    for piece in pieces:
        first, last = max(start, place), min(end, place + piece.length)
        if first < last:
            yield piece.part(first - place, last - place)
        place += piece.length


def _edits(text: str, pieces: Sequence[_Piece]) -> Iterator[Edit]:
    lines = Lines(text)
    end, written = 0, ""
    for piece in (*pieces, _Piece(0, len(text))):
        if piece.written is not None:
            written += piece.written
            continue
        if written or piece.start > end:
            span = Span(end, piece.start)
            yield Edit(span, written, lines.position(span.start), lines.position(span.end))
        end, written = piece.start + piece.length, ""
