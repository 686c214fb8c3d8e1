"""Python in the fences of Markdown, as one program with the rows and columns of the file.

>>> print(Markdown.of(b"Then:\\n```python\\nx = 1\\n```\\n").text.replace("\\n", "|"))
||x = 1||
"""

from __future__ import annotations

import ast
import re
import textwrap
import warnings
from collections.abc import Iterator
from dataclasses import dataclass
from typing import Final

from mllint_nan.syntax.decoding import NoPython

_SUFFIXES: Final = (".md", ".markdown")
_LANGUAGES: Final = ("python", "python3", "py")
_ROW = re.compile(r"[^\r\n]*(?:\r\n|\r|\n)|[^\r\n]+")
_OPENING = re.compile(r"(?P<indent>[ \t]*)(?P<fence>`{3,}|~{3,})[ \t]*(?P<language>[\w+#-]*)")
_END = re.compile(r"[\r\n]*$")


def is_markdown(filename: str) -> bool:
    return filename.endswith(_SUFFIXES)


@dataclass(frozen=True, slots=True)
class Markdown:
    """A Markdown file in which everything but its Python is blank."""

    text: str

    @classmethod
    def of(cls, data: bytes) -> Markdown:
        """Raises `NoPython` for a file whose text cannot be read.

        A block that does not parse by itself, such as the beginning of a statement, is left out.
        """
        try:
            rows = _ROW.findall(data.decode("utf-8-sig"))
        except UnicodeDecodeError:
            raise NoPython("Markdown that is not in UTF-8") from None
        kept = [_END.search(row)[0] for row in rows]  # type: ignore[index]
        for first, last, indent in _blocks(rows):
            block = rows[first:last]
            if not _parses(textwrap.dedent("".join(block))):
                continue
            kept[first:last] = block
            if indent:  # an indented block needs a statement above it
                kept[first - 1] = f"if True:{kept[first - 1]}"
        return cls("".join(kept))


def _blocks(rows: list[str]) -> Iterator[tuple[int, int, str]]:
    """Yield the rows of each block of Python, and the indentation of its fence."""
    opening, first = None, 0
    for number, row in enumerate(rows):
        if opening is None:
            opening, first = _OPENING.match(row), number + 1
        elif _closes(row, opening["fence"]):
            if opening["language"].lower() in _LANGUAGES and first < number:
                yield first, number, opening["indent"]
            opening = None


def _closes(row: str, fence: str) -> bool:
    row = row.strip()
    return len(row) >= len(fence) and row == fence[0] * len(row)


def _parses(block: str) -> bool:
    try:
        with warnings.catch_warnings():
            warnings.simplefilter("ignore")
            return bool(ast.parse(block).body)
    except (SyntaxError, ValueError, RecursionError, MemoryError):
        return False
