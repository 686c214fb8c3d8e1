"""A statement that may not be Python 3, and the replacements of its unreadable parts."""

from __future__ import annotations

import re
from collections.abc import Iterable
from dataclasses import dataclass, field
from typing import Final

from mllint_nan.syntax.python2 import UNREAD, Change, modern
from mllint_nan.syntax.statements import Line, Piece, deep, framed, is_python, rows_ended

UNKNOWN: Final = f"if {UNREAD}:"
_AUGMENTED: Final = frozenset(
    ("=", "+=", "-=", "*=", "/=", "//=", "%=", "@=", "&=", "|=", "^=", ">>=", "<<=", "**=")
)
_TARGETS_MOST: Final = 4
"""The most targets of one assignment, as in `a = b = 0`."""


@dataclass
class Statement:
    """A logical line, and the changes to its header and its body."""

    line: Line
    pieces: list[Piece]
    row: int
    header: list[Change] = field(default_factory=list)
    body: list[Change] = field(default_factory=list)
    is_gone: bool = False
    """Whether nothing of it is left."""
    is_unread: bool = False
    """Whether a part of it could not be read."""
    attempts: int = 0
    """How often it did not fit the statements around it."""

    @property
    def opens(self) -> bool:
        """Whether a block is expected on the rows below."""
        return self.pieces[0].is_header and len(self.pieces) == 1

    @property
    def word(self) -> str:
        """The word with which it begins after the changes."""
        word = self.line.word
        for change in self.header:
            if change.start == self.line.start and change.end > change.start:
                word = re.split(r"\W", change.text)[0]
        return word


def changed(text: str, start: int, stop: int, changes: Iterable[Change]) -> str:
    parts: list[str] = []
    for change in changes:
        parts += (text[start : change.start], change.text)
        start = change.end
    return "".join((*parts, text[start:stop]))


def is_good(text: str, line: Line) -> bool:
    """Whether a logical line can be read as it is."""
    whole = text[line.start : line.tokens[-1].end]
    if not (line.is_compound or line.word == "@"):
        return is_python(whole)
    return is_python(framed(whole, line.word, opens=line.tokens[-1].text == ":"))


def read_statement(text: str, line: Line, row: int) -> Statement:
    """The statement of a line, with changes to each piece that cannot be read as it is."""
    statement = Statement(line, line.pieces(), row)
    last = statement.pieces[-1]
    for piece in statement.pieces:
        changes = statement.header if piece.is_header else statement.body
        if _fits(text, piece, ()):
            continue
        mended = modern(piece)
        if mended and _fits(text, piece, mended):
            changes += mended
            continue
        statement.is_unread = True
        end = end_of(text, line) if piece is last else piece.end
        instead = _header(text, piece) if piece.is_header else _simple(text, piece)
        if not instead and len(statement.pieces) == 1:
            statement.is_gone = True
            continue
        changes.append(exchanged(text, piece.start, end, instead or "pass"))
    return statement


def _fits(text: str, piece: Piece, changes: Iterable[Change]) -> bool:
    content = changed(text, piece.start, piece.end, changes)
    if piece.is_header:
        return piece.tokens[-1].text == ":" and is_python(framed(content, piece.word, opens=True))
    if piece.word == "@":
        return is_python(framed(content, "@", opens=False))
    return is_python(content)


def end_of(text: str, line: Line) -> int:
    """The end of a line for its removal: a comment stays, a backslash does not."""
    end = line.tokens[-1].end
    return end if "#" in text[end : line.end] else max(line.end, end)


def exchanged(text: str, start: int, end: int, instead: str) -> Change:
    """A change to other content with the same rows."""
    return Change(start, end, instead + rows_ended(text[start:end]))


def _header(text: str, piece: Piece) -> str:
    """A header that claims as little as possible: its block may run, or may not."""
    tokens = piece.tokens[1:] if piece.word == "async" and len(piece.tokens) > 1 else piece.tokens
    word = tokens[0].text
    name = tokens[1].text if len(tokens) > 1 and tokens[1].text.isidentifier() else "_"
    match word:
        case "def" if is_python(f"{name} = 0"):
            return f"def {name}(*_, **__):"
        case "class" if is_python(f"{name} = 0"):
            return f"class {name}:"
        case "try" | "finally" | "else":
            return f"{word}:"
        case "except":
            return "except:"
        case "with":
            return "if 1:"
        case "case":
            return f"case _ if {UNREAD}:"
        case "while":
            return f"while {UNREAD}:"
        case "for":
            inside = next((one.start for one, depth in deep(tokens) if one.text == "in"), None)
            target = text[tokens[0].end : inside].strip() if inside is not None else ""
            is_target = bool(target) and is_python(f"for {target} in _: pass")
            return f"for {target if is_target else '_'} in {UNREAD}:"
        case _:
            return UNKNOWN


def _simple(text: str, piece: Piece) -> str:
    """What is left of an unreadable statement: whether it ends a block, and what it sets."""
    match piece.word:
        case "raise":
            return "raise"
        case "return":
            return f"return {UNREAD}"
    outside = [token for token, depth in deep(piece.tokens) if not depth]
    equals = [token for token in outside if token.text in _AUGMENTED]
    for token in reversed(equals[:_TARGETS_MOST]):
        target = " ".join(text[piece.start : token.start].split())
        if is_python(f"{target} = 0"):
            return f"{target} = {UNREAD}"
    return ""
