"""The statements of a text that need not be Python, each of which is read by itself.

>>> [[token.text for token in line.tokens] for line in lines_of("if x:\\n    print y,; z = 1\\n")]
[['if', 'x', ':'], ['print', 'y', ',', ';', 'z', '=', '1']]
"""

from __future__ import annotations

import ast
import re
from collections.abc import Iterator, Sequence
from dataclasses import dataclass
from typing import Final, NamedTuple

from parso.python.tokenize import tokenize
from parso.utils import parse_version_string

_VERSION: Final = parse_version_string("3.13")
"""The version whose f-strings the tokens follow, wherever this runs."""
_LINE_END: Final = re.compile(r"\r\n|\r|\n")
_OPENS: Final = re.compile(r":[ \t]*(?:#[^\r\n]*)?$")
_ROW: Final = re.compile(r"(?P<end>\r\n|\r|\n)(?P<blanks>[ \t\f]*)(?P<word>\w+|[^\s#)\]}]?)")
"""The end of a row and the beginning of the next, unless that is a comment or closing bracket."""
_OPENING: Final = frozenset("([{")
_CLOSING: Final = frozenset(")]}")
_TAB: Final = 8
"""The columns between tab stops in Python 2."""
HEADERS: Final = frozenset(
    (
        *("if", "elif", "else", "for", "while", "try", "except", "finally"),
        *("with", "def", "class", "async", "match", "case"),
    )
)
"""The words that begin a header."""
_SOFT: Final = frozenset(("match", "case", "async"))
_BREAKING: Final = HEADERS - _SOFT - {"if", "else", "for"} | {
    *("import", "from", "return", "raise", "del", "pass", "break", "continue", "global", "assert"),
    "@",
}
"""The words that begin a statement wherever they begin a row."""
_FRAMES: Final = {
    "elif": ("if 1:pass\n", ""),
    "else": ("if 1:pass\n", ""),
    "try": ("", "\nfinally:pass"),
    "except": ("try:pass\n", ""),
    "finally": ("try:pass\n", ""),
    "match": ("", "\n case _:pass"),
    "case": ("match 0:\n ", ""),
    "@": ("", "\ndef f():pass"),
}
"""The text before and behind a header that makes a statement of it."""


class Token(NamedTuple):
    """A part of a text, without the blanks and comments before it."""

    kind: str
    text: str
    start: int
    end: int


class Piece(NamedTuple):
    """A header with its colon, or a simple statement."""

    tokens: tuple[Token, ...]
    is_header: bool

    @property
    def start(self) -> int:
        return self.tokens[0].start

    @property
    def end(self) -> int:
        return self.tokens[-1].end

    @property
    def word(self) -> str:
        return self.tokens[0].text


@dataclass(frozen=True, slots=True)
class Line:
    """A logical line: its tokens, and its end in the text, before the line break."""

    tokens: tuple[Token, ...]
    end: int

    @property
    def start(self) -> int:
        return self.tokens[0].start

    @property
    def word(self) -> str:
        return self.tokens[0].text

    @property
    def is_closed(self) -> bool:
        """Whether all of its brackets and strings are closed."""
        opened: list[str] = []
        for token in self.tokens:
            if token.kind == "ERRORTOKEN" and token.text[0] in "\"'":
                return False
            if token.kind == "OP" and token.text in _OPENING:
                opened.append(token.text)
            elif token.kind == "OP" and token.text in _CLOSING:
                opened.append(token.text)
                if "".join(opened[-2:]) not in ("()", "[]", "{}"):
                    return False
                del opened[-2:]
        return not opened

    @property
    def is_compound(self) -> bool:
        """Whether it begins with a header; three of the words may be names as well."""
        if self.word not in _SOFT:
            return self.word in HEADERS
        second = self.tokens[1].text if len(self.tokens) > 1 else ""
        if self.word == "async":
            return second in ("def", "for", "with")
        return self.tokens[-1].text == ":" and second not in ("=", ".", ",", ":")

    def pieces(self) -> list[Piece]:
        """The header and the simple statements of the line."""
        found: list[Piece] = []
        begun, lambdas = 0, 0
        is_header = self.is_compound
        for index, (token, depth) in enumerate(deep(self.tokens)):
            if depth or token.kind not in ("OP", "NAME"):
                continue
            if token.text == "lambda":
                lambdas += 1
            elif token.text == ":" and lambdas:
                lambdas -= 1
            elif token.text == ":" and is_header and not found:
                found.append(Piece(self.tokens[: index + 1], True))
                begun = index + 1
            elif token.text == ";":
                if index > begun:
                    found.append(Piece(self.tokens[begun:index], False))
                begun = index + 1
        if begun < len(self.tokens):
            found.append(Piece(self.tokens[begun:], is_header and not found))
        return found


def deep(tokens: Sequence[Token]) -> Iterator[tuple[Token, int]]:
    """Yield each token with the number of brackets around it; a bracket is not within itself."""
    depth = 0
    for token in tokens:
        if token.kind == "OP" and token.text in _CLOSING:
            depth = max(depth - 1, 0)
        yield token, depth
        if token.kind == "OP" and token.text in _OPENING:
            depth += 1


def lines_of(text: str, start: int = 0, stop: int | None = None) -> list[Line]:
    """The logical lines of a part of a text, which begins at the start of a row.

    Only parso's tokens are used: the time of its parser grows with the square of what it skips.
    """
    lines: list[Line] = []
    tokens: list[Token] = []
    place = start
    for token in tokenize(text[start:stop], version_info=_VERSION):
        begin = place + len(token.prefix)
        place = begin + len(token.string)
        kind = token.type.name
        if kind in ("NEWLINE", "ENDMARKER"):
            if tokens:
                lines.append(Line(tuple(tokens), begin))
            tokens = []
        elif token.string:
            tokens.append(Token(kind, token.string, begin, place))
    return lines


def row_ends(text: str) -> list[int]:
    """The offsets at which the rows of a text end."""
    return [found.end() for found in _LINE_END.finditer(text)]


def rows_ended(text: str) -> str:
    """The line breaks of a text, without anything else."""
    return "".join(_LINE_END.findall(text))


def indentation(text: str, offset: int) -> str | None:
    """The indentation before a place; `None` if there is anything else before it on its row."""
    start = max(text.rfind("\n", 0, offset), text.rfind("\r", 0, offset)) + 1
    before = text[start:offset]
    return None if before.strip(" \t\f\ufeff") else before


def width(blanks: str) -> int:
    """The columns that an indentation takes."""
    columns = 0
    for blank in blanks:
        if blank == "\t":
            columns += _TAB - columns % _TAB
        elif blank == "\f":
            columns = 0
        else:
            columns += 1
    return columns


def cut(text: str, line: Line) -> int | None:
    """The start of the row at which a new statement cuts off an unfinished one; else `None`."""
    own = width(indentation(text, line.start) or "")
    opens = line.word in HEADERS
    for row in _ROW.finditer(text, line.start, line.end):
        if opens and _OPENS.search(text[line.start : row.start()]):
            return row.end("end")
        opens = False
        word = row["word"]
        if word and (width(row["blanks"]) <= own or word in _BREAKING):
            return row.end("end")
    return None


def is_python(text: str) -> bool:
    """Whether a statement can be read; the caller silences CPython's warnings."""
    try:
        ast.parse(text)
    except (SyntaxError, ValueError, RecursionError, MemoryError):
        return False
    return True


def framed(text: str, word: str, *, opens: bool) -> str:
    """A line that begins with a header's word, as a program; with a block if it `opens` one."""
    before, behind = _FRAMES.get(word, ("", ""))
    block = " pass" if opens and word != "match" else ""
    return f"{before}{text}{block}{behind}"
