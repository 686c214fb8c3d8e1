"""Room for the frames of calls that nest deeply.

From 3.11 on, CPython keeps frames in chunks of 16 KiB: it allocates one when a call does not fit,
and frees it when that call returns. In a package, an evaluation crosses the end of a chunk back and
forth tens of thousands of times.
"""

from __future__ import annotations

from collections.abc import Callable
from functools import wraps
from typing import Final, ParamSpec, TypeVar

_WORDS: Final = 1 << 16
"""A frame of 512 KiB gets a chunk of 1 MiB; only the parts that are written to take memory."""

_Given = ParamSpec("_Given")
_Made = TypeVar("_Made")


def with_room(function: Callable[_Given, _Made]) -> Callable[_Given, _Made]:
    """Make a function run in a chunk that has room for some two thousand frames."""

    def roomy(*arguments: _Given.args, **keywords: _Given.kwargs) -> _Made:
        return function(*arguments, **keywords)

    roomy.__code__ = roomy.__code__.replace(co_stacksize=_WORDS)
    return wraps(function)(roomy)
