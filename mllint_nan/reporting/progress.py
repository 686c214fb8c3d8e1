"""The progress of a long run, on a line of the terminal that disappears again."""

from __future__ import annotations

import os
import time
from collections.abc import Callable, Iterable, Iterator
from typing import Final, TextIO, TypeVar

_Item = TypeVar("_Item")

_SILENT: Final = 1.0
"""Seconds after which a run is long."""
_PAUSE: Final = 0.1
_ERASE: Final = "\r\033[K"


def is_wanted(stream: TextIO) -> bool:
    return stream.isatty() and os.environ.get("TERM") != "dumb"


def shown(
    items: Iterable[_Item],
    total: int,
    stream: TextIO,
    clock: Callable[[], float] = time.monotonic,
) -> Iterator[_Item]:
    """Yield the items; between them, the line says how many of `total` files are done.

    While an item is in use, the line is hidden.
    """
    due, is_painted = clock() + _SILENT, False
    try:
        for done, item in enumerate(items, 1):
            if is_painted:
                stream.write(_ERASE)
                stream.flush()
                is_painted = False
            yield item
            now = clock()
            if now >= due and done < total:
                stream.write(f"{_ERASE}Checked {done} of {total} files")
                stream.flush()
                due, is_painted = now + _PAUSE, True
    finally:
        if is_painted:
            stream.write(_ERASE)
            stream.flush()


class Tally:
    """How many fixes were executed so far; a file with many findings can take long."""

    def __init__(self, stream: TextIO, clock: Callable[[], float] = time.monotonic) -> None:
        self._stream, self._clock = stream, clock
        self._due, self._done, self._is_painted = clock() + _SILENT, 0, False

    def count(self) -> None:
        """Count one more executed fix."""
        self._done += 1
        now = self._clock()
        if now >= self._due:
            fixes = "1 fix" if self._done == 1 else f"{self._done} fixes"
            self._stream.write(f"{_ERASE}Executed {fixes}")
            self._stream.flush()
            self._due, self._is_painted = now + _PAUSE, True

    def between(self, items: Iterable[_Item]) -> Iterator[_Item]:
        """Yield the items; while one is in use, the line is hidden."""
        try:
            for item in items:
                self._erase()
                yield item
        finally:
            self._erase()

    def _erase(self) -> None:
        if self._is_painted:
            self._stream.write(_ERASE)
            self._stream.flush()
            self._is_painted = False
