"""A cache of executions: all fixes of an expression are tried on the same inputs.

The original, in its own format and the finest, is most of what a proof executes. Nothing that is
cut from a program draws random numbers, and inputs are created anew for each execution, so a
result depends only on the expression, its names and its inputs.
"""

from __future__ import annotations

from array import array
from types import CodeType
from typing import Any, Final

from mllint_nan.verify.execution.adapters import FAILED, Adapter, Names, Seen
from mllint_nan.verify.execution.inputs import Layout, Point

_KEPT_MOST: Final = 1 << 20
"""How many numbers are kept, some forty megabytes; then the cache is cleared."""
_LARGE: Final = 256
"""Larger results are rare, and are not kept."""


class Remembering:
    """An adapter that caches the results of another one."""

    def __init__(self, adapter: Adapter) -> None:
        self.adapter = adapter
        self.finest, self.eps = adapter.finest, adapter.eps
        self._known: dict[tuple[Any, ...], Seen] = {}
        self._kept = 0

    def run(self, code: CodeType, names: Names, point: Point, layout: Layout, dtype: str) -> Seen:
        """Return the adapter's result; FAILED if it raises."""
        key = _key(code, names, point, layout, dtype)
        seen = self._known.get(key)
        if seen is None:
            try:
                seen = self.adapter.run(code, names, point, layout, dtype)
            except Exception:  # whatever it is, the framework would raise it again
                seen = FAILED
            self._keep(key, seen, sum(map(len, point.values())))
        return seen

    def kind(self, code: CodeType, names: Names, point: Point, layout: Layout, dtype: str) -> str:
        """Return the adapter's kind; its exceptions are not caught."""
        return self.adapter.kind(code, names, point, layout, dtype)

    def _keep(self, key: tuple[Any, ...], seen: Seen, count: int) -> None:
        count += len(seen.value) + len(seen.gradient)
        if count > _LARGE:
            return
        if self._kept + count > _KEPT_MOST:
            self._known.clear()
            self._kept = 0
        self._known[key] = seen
        self._kept += count


def _key(code: CodeType, names: Names, point: Point, layout: Layout, dtype: str) -> tuple[Any, ...]:
    """A cache key: numbers by their bits, as -0.0 is not 0.0; names live as long as the process."""
    inputs = tuple(
        (
            variable.name,
            variable.is_boolean,
            variable.is_differentiable,
            variable.is_number,
            variable.is_integer,
            array("d", point[variable.name]).tobytes(),
        )
        for variable in layout.variables
    )
    return code, id(names), inputs, layout.shape, layout.narrow, dtype
