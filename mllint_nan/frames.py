"""Room for the frames of calls that nest deeply.

From 3.11 on, CPython keeps frames in chunks of 16 KiB: it asks the system for one when a call does
not fit, and gives it back when that call returns. An evaluation crosses such an end to and fro
tens of thousands of times in a package.
"""

from __future__ import annotations

from collections.abc import Callable
from functools import wraps
from typing import Final, ParamSpec, TypeVar

_WORDS: Final = 1 << 16
"""A frame of 512 KiB lies in a chunk of 1 MiB; of either, only what is written to takes memory."""

_Given = ParamSpec("_Given")
_Made = TypeVar("_Made")


def with_room(function: Callable[_Given, _Made]) -> Callable[_Given, _Made]:
    """The same function, which finds a chunk with room for some two thousand frames."""

    def roomy(*arguments: _Given.args, **keywords: _Given.kwargs) -> _Made:
        return function(*arguments, **keywords)

    roomy.__code__ = roomy.__code__.replace(co_stacksize=_WORDS)
    return wraps(function)(roomy)
