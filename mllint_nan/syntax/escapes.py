"""The syntax of IPython that Python does not understand: magics, shell lines, help.

Each is exchanged for a statement of as many rows, and can be put back.

>>> escaped = escape("%matplotlib inline\\nfiles = !ls\\nx = 7 % 3", "#")
>>> print(escaped.text)
pass  #0
files = get_ipython()  #1
x = 7 % 3
>>> restore(escaped.text, escaped.exchanged) == "%matplotlib inline\\nfiles = !ls\\nx = 7 % 3"
True
"""

from __future__ import annotations

import re
from collections.abc import Mapping
from dataclasses import dataclass
from typing import Final

PYTHON_MAGICS: Final = (
    "capture", "debug", "ipytest", "prun", "pypy", "python", "python3", "time", "timeit",
)  # fmt: skip
"""Magics whose cell is Python, as in ruff; with any other, the cell is in another language."""

_CELL_MAGIC = re.compile(r"\s*%%(\w*)")
_STATEMENT_PART = re.compile(
    r"""\#[^\r\n]*
    |'''(?:\\.|[^\\])*?'''|\"\"\"(?:\\.|[^\\])*?\"\"\"
    |'(?:\\(?:\r\n|.)|[^\\\r\n'])*'|"(?:\\(?:\r\n|.)|[^\\\r\n"])*"
    |\\(?:\r\n|\r|\n)|(?P<open>[(\[{])|(?P<close>[)\]}])|(?P<end>\r\n|\r|\n)""",
    re.VERBOSE | re.DOTALL,
)
_LINE = r"(?:[^\r\n\\]|\\(?:\r\n|.))*"
_ESCAPES = re.compile(
    rf"""(?P<indent>[ \t]*)(?:
    (?P<time>%time[ \t]+(?P<timed>[^\W\d]\w*)[ \t]*=(?!=){_LINE})
    |(?P<line>[%!?/,;]{_LINE})
    |(?P<target>[^\W\d][\w.,\t ]*=[ \t]*)(?P<value>[%!](?!=){_LINE})
    |(?P<help>[\w.*]+\?\??[ \t]*)(?=[\r\n]|$)
    |(?P<automagic>(?:pip|conda|mamba|cd|ls|cat|mkdir|rm|cp|mv)[ \t]+(?:-[\w-]+[ \t]+)*
        (?!(?:in|is|and|or|not|if|else|for)\b)(?:[\w~]|\.\.|\./){_LINE}))""",
    re.VERBOSE | re.DOTALL,
)


@dataclass(frozen=True, slots=True)
class Escaped:
    """A cell as Python; `exchanged` maps each replacement to its original, in order."""

    text: str
    exchanged: Mapping[str, str]


def is_python(cell: str) -> bool:
    """Whether a cell is Python, whatever its lines contain."""
    magic = _CELL_MAGIC.match(cell)
    return magic is None or magic[1] in PYTHON_MAGICS


def has_cell_magic(cell: str) -> bool:
    return _CELL_MAGIC.match(cell) is not None


def escape(cell: str, mark: str) -> Escaped:
    """Replace every escape; `mark` begins a comment that occurs nowhere in the cell."""
    parts: list[str] = []
    exchanged: dict[str, str] = {}
    place = done = 0
    while place < len(cell):
        found = _ESCAPES.match(cell, place)
        if found is not None:
            begin, statement = _instead(found)
            original = cell[begin : found.end()]
            rows = "\n" * len(re.findall(r"\r\n|\r|\n", original))
            instead = f"{statement}  {mark}{len(exchanged)}{rows}"
            exchanged[instead] = original
            parts += (cell[done:begin], instead)
            place = done = found.end()
        place = _next_statement(cell, place)
    return Escaped("".join(parts) + cell[done:], exchanged)


def _instead(found: re.Match[str]) -> tuple[int, str]:
    """Where the replaced text begins, and the Python code that replaces it."""
    if found["value"] is not None:
        return found.start("value"), "get_ipython()"
    if found["time"] is not None:
        return found.end("indent"), f"{found['timed']} = get_ipython()"
    return found.end("indent"), "pass"


def restore(text: str, exchanged: Mapping[str, str]) -> str:
    """Put back what `escape` replaced; raises ValueError if a replacement is gone."""
    for instead, original in reversed(list(exchanged.items())):  # 10 before 1
        if instead not in text:
            raise ValueError("an IPython line was changed")
        text = text.replace(instead, original, 1)
    return text


def _next_statement(cell: str, place: int) -> int:
    """The offset of the next line on which a statement may begin."""
    depth = 0
    for part in _STATEMENT_PART.finditer(cell, place):
        if part["open"]:
            depth += 1
        elif part["close"]:
            depth = max(depth - 1, 0)
        elif part["end"] and not depth:
            return part.end()
    return len(cell)
