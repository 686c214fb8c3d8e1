"""When Python's cyclic garbage collector runs: not during an analysis, and seldom otherwise.

An analysis keeps its objects to its end; then nearly all of them are freed without a collection.
"""

from __future__ import annotations

import contextlib
import gc
from collections.abc import Iterator
from typing import Final

_UNSEARCHED_MOST: Final = 1_000_000
"""New objects since the last collection after which one is due: some 100 MB."""


@contextlib.contextmanager
def paused() -> Iterator[None]:
    """Pause the garbage collector; if it was paused before, collect at the end if that is due."""
    was_enabled = gc.isenabled()
    gc.disable()
    try:
        yield
    finally:
        if was_enabled:
            gc.enable()
        elif gc.get_count()[0] > _UNSEARCHED_MOST:
            gc.collect()
            gc.freeze()  # what is cached for later files need not be searched again
