"""The comments that accompany an expression."""

from __future__ import annotations

import re
from typing import Final

from mllint_nan.syntax.source import Source

_LINE: Final = re.compile(r"^[ \t]*#+(.*)$")
_TRAILING: Final = re.compile(r"#([^\"'#]*)$")
_LINES_MOST: Final = 12
"""The most lines of comments above an expression."""


class Remarks:
    """Finds the comments of one text by place."""

    def __init__(self, source: Source) -> None:
        self._source = source
        self._lines = re.split(r"\r\n|\r|\n", source.text)

    def beside(self, site: object) -> str:
        """The comments behind an expression, and right above the line on which it begins."""
        if not self._source.knows(site):
            return ""
        span, lines = self._source.span(site), self._source.lines
        first, last = lines.position(span.start).row - 1, lines.position(span.end).row - 1
        above: list[str] = []
        for line in reversed(self._lines[max(first - _LINES_MOST, 0) : first]):
            found = _LINE.match(line)
            if found is None:
                break
            above.insert(0, found[1].strip())
        behind = map(_TRAILING.search, self._lines[first : last + 1])
        return "\n\n".join((" ".join(above), *(found[1].strip() for found in behind if found)))
