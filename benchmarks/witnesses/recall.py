"""Repeat the call that a frame executes, with the same arguments.

In JAX, or for an array that is not a tensor yet in TensorFlow, a gradient can only be taken of a
call, not of its result.
"""

from __future__ import annotations

import inspect
from collections.abc import Callable, Iterable
from dataclasses import dataclass
from types import CellType, CodeType, FrameType, FunctionType
from typing import Any

_SUSPENDED = inspect.CO_GENERATOR | inspect.CO_COROUTINE | inspect.CO_ASYNC_GENERATOR


@dataclass(frozen=True, slots=True)
class Recall:
    """A function and the arguments of one call of it."""

    function: Callable[..., Any]
    arguments: tuple[Any, ...]
    named: dict[str, Any]

    def __call__(self, arguments: Iterable[Any], named: dict[str, Any]) -> Any:
        return self.function(*arguments, **named)

    @classmethod
    def of_frame(cls, frame: FrameType) -> Recall | None:
        """Return the call that `frame` executes; `None` if it cannot be repeated."""
        code = frame.f_code
        if code.co_flags & _SUSPENDED or code.co_name.startswith("<"):
            return None
        known = dict(frame.f_locals)
        try:
            cells = tuple(CellType(known[name]) for name in code.co_freevars)
            arguments, named = _given(code, known)
        except KeyError:
            return None
        return cls(FunctionType(code, frame.f_globals, None, None, cells), arguments, named)


def _given(code: CodeType, known: dict[str, Any]) -> tuple[tuple[Any, ...], dict[str, Any]]:
    """
    >>> def f(a, /, b, *rest, c=0, **more): ...
    >>> _given(f.__code__, {"a": 1, "b": 2, "rest": (3,), "c": 4, "more": {"d": 5}})
    ((1, 2, 3), {'c': 4, 'd': 5})
    """
    names = code.co_varnames
    count = code.co_argcount
    arguments = tuple(known[name] for name in names[:count])
    end = count + code.co_kwonlyargcount
    named = {name: known[name] for name in names[count:end]}
    if code.co_flags & inspect.CO_VARARGS:
        arguments += tuple(known[names[end]])
        end += 1
    if code.co_flags & inspect.CO_VARKEYWORDS:
        named |= known[names[end]]
    return arguments, named
