"""The offsets at which the rows of a text begin."""

from __future__ import annotations

import bisect
import re

from mllint_nan.findings import Position


class Lines:
    """Offsets of a text as rows and columns."""

    def __init__(self, text: str) -> None:
        self._starts = [0, *(end.end() for end in re.finditer(r"\r\n|\r|\n", text))]

    def position(self, offset: int) -> Position:
        """The place of the character at `offset`."""
        row = bisect.bisect_right(self._starts, offset)
        return Position(row, offset - self._starts[row - 1] + 1)

    def start_of(self, row: int) -> int:
        """The offset of the first character of `row`."""
        return self._starts[row - 1]
