"""How far a long run is, on a line of the terminal that goes away again."""

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
    """The items, between which the line says how many of `total` files are done.

    While an item is in use, the line is not there.
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
