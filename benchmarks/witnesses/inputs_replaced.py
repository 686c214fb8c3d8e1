"""Replaces arrays that a test creates by functions of a module with kinds of input."""

from __future__ import annotations

import functools
import sys
from abc import ABC, abstractmethod
from collections.abc import Callable, Mapping, Sequence
from contextlib import ExitStack
from typing import Any
from unittest.mock import patch

from numpy.random import Generator
from numpy.typing import NDArray

from .inputs_numpy import MOST
from .kinds import Kind
from .places import Places

Functions = Mapping[Any, Sequence[str]]
"""The names of functions by module."""


class ReplacedInputs(ABC):
    """Replaces functions that draw arrays, and functions that build them out of given numbers."""

    def __init__(
        self,
        kind: Kind,
        places: Places,
        rng: Generator,
        drawn: Functions,
        built: Functions,
        between: Sequence[str],
    ) -> None:
        self._kind = kind
        self._places = places
        self._rng = rng
        self._functions = ((drawn, True), (built, False))
        self._between = between
        self._patches = ExitStack()

    def __enter__(self) -> ReplacedInputs:
        if self._kind.name == "as-is":
            return self
        for table, drawn in self._functions:
            for module, names in table.items():
                for name in names:
                    function = getattr(module, name, None)
                    if callable(function) and not isinstance(function, type):
                        replaced = self._replaced(function, drawn)
                        self._patches.enter_context(patch.object(module, name, replaced))
        return self

    def __exit__(self, *exception: object) -> None:
        self._patches.close()

    @abstractmethod
    def changed(self, made: Any, *, drawn: bool) -> Any:
        """Return the replacement of `made`; itself if it is not an array."""

    def applied(self, array: NDArray[Any], *, drawn: bool) -> NDArray[Any]:
        """Return the kind of input in place of an array."""
        if not 0 < array.size <= MOST:
            return array
        return self._kind.applied(array, self._rng, drawn=drawn)

    def _replaced(self, function: Callable[..., Any], drawn: bool) -> Callable[..., Any]:
        @functools.wraps(function)
        def made(*args: Any, **kwargs: Any) -> Any:
            result = function(*args, **kwargs)
            if not self._places.is_called_by_test(sys._getframe(1), self._between):
                return result
            return self.changed(result, drawn=drawn)

        return made
