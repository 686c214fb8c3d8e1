"""Two successive repairs as one repair of the original text."""

from __future__ import annotations

from collections.abc import Iterable, Iterator, Sequence
from dataclasses import dataclass, replace

from mllint_nan.findings import Edit, Fix, Span
from mllint_nan.syntax.lines import Lines


@dataclass(frozen=True, slots=True)
class _Piece:
    """A part of a text: what stood at a place of the original, or what was written instead."""

    length: int
    start: int = 0
    """Of what stood there."""
    written: str | None = None

    def part(self, start: int, end: int) -> _Piece:
        if self.written is not None:
            return _Piece(end - start, 0, self.written[start:end])
        return _Piece(end - start, self.start + start)


def joined(fix: Fix, text: str, steps: Iterable[Iterable[Edit]]) -> Fix:
    """A fix that takes all these steps, and says what it comes to."""
    edits = composed(text, steps)
    first = min(fix.edits, key=_is_insertion)
    place = next((edit for edit in edits if edit.span.contains(first.span)), None)
    shown = f"`{' '.join(first.content.split())}`"
    if place is None or shown not in fix.message:
        return replace(fix, edits=edits)
    result = f"`{' '.join(place.content.split())}`"
    return replace(fix, edits=edits, message=fix.message.replace(shown, result))


def _is_insertion(edit: Edit) -> bool:
    return edit.span.start == edit.span.end


def composed(text: str, steps: Iterable[Iterable[Edit]]) -> tuple[Edit, ...]:
    """The edits of `text` that do what all steps do, each of which edits what the last one left."""
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
