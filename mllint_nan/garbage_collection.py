"""When Python searches for cycles of objects: not while something is analysed, and seldom else.

An analysis keeps what it makes to its end, and then nearly all of it is freed without a search.
"""

from __future__ import annotations

import contextlib
import gc
from collections.abc import Iterator
from typing import Final

_UNSEARCHED_MOST: Final = 1_000_000
"""Objects that are there more than after the last search, some 100 MB."""


@contextlib.contextmanager
def paused() -> Iterator[None]:
    """No search meanwhile; where all around it is paused too, one at the end if it may be due."""
    was_enabled = gc.isenabled()
    gc.disable()
    try:
        yield
    finally:
        if was_enabled:
            gc.enable()
        elif gc.get_count()[0] > _UNSEARCHED_MOST:
            gc.collect()
