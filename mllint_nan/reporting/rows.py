"""Rows of a text, as a terminal or a diff shows them.

>>> split("a\\r\\nb")
['a\\r\\n', 'b']
>>> print(diff("a.py", "x = 1\\n", "x = 2\\n"), end="")
--- a.py
+++ a.py
@@ -1 +1 @@
-x = 1
+x = 2
"""

from __future__ import annotations

import difflib
import re
import unicodedata
from dataclasses import dataclass

_ROW = re.compile(r"[^\r\n]*(?:\r\n|\r|\n)|[^\r\n]+")
WIDEST = 160
"""The most columns of a row of code, unless the terminal is narrower."""
_BEFORE_CLIPPED = 40
_TAB = "    "


def split(text: str) -> list[str]:
    """The rows with their ends; unlike `str.splitlines`, only what ends a row of Python."""
    return _ROW.findall(text)


def diff(path: str, before: str, after: str) -> str:
    """A unified diff that `patch` accepts."""
    changes = difflib.unified_diff(split(before), split(after), path, path)
    return "".join(
        row if row.endswith(("\n", "\r")) else f"{row}\n\\ No newline at end of file\n"
        for row in changes
    )


@dataclass(frozen=True, slots=True)
class Row:
    """One row as printed, with a marker below the characters from `start` to `end`."""

    text: str
    marker: str

    @classmethod
    def of(cls, row: str, start: int = 0, end: int = 0, widest: int = WIDEST) -> Row:
        """The row; of one that takes more than `widest` columns, the part around `start`."""
        shown = [_printable(character) for character in row.rstrip("\r\n")]
        if sum(map(_width, shown)) > widest:
            left = max(0, min(start, len(shown)) - min(_BEFORE_CLIPPED, widest // 4))
            right, room = left, widest - len("……")
            while right < len(shown) and _width(shown[right]) <= room:
                room -= _width(shown[right])
                right += 1
            head, tail = ["…"] * (left > 0), ["…"] * (right < len(shown))
            shown = [*head, *shown[left:right], *tail]
            start, end = start - left + len(head), end - left + len(head)
        marked = max(1, sum(map(_width, shown[start:end])))
        return cls("".join(shown), " " * sum(map(_width, shown[:start])) + "^" * marked)


def columns(shown: str) -> int:
    """How many columns of a terminal a text takes."""
    return sum(map(_width, shown))


def _printable(character: str) -> str:
    """The text without control characters: a source must not move the cursor of its reader."""
    if character == "\t":
        return _TAB
    return character if character.isprintable() or unicodedata.combining(character) else "�"


def _width(shown: str) -> int:
    if shown.isascii():
        return len(shown)
    if unicodedata.combining(shown):
        return 0
    return 2 if unicodedata.east_asian_width(shown) in "WF" else 1
