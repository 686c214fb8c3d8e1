"""What was executed once is not executed again: all fixes of an expression meet the same inputs.

The original, in its own format and the finest, is most of what a proof executes. Nothing that is
cut from a program draws random numbers, and inputs are made anew for each execution, so that a
result follows from the expression, its names and its inputs.
"""

from __future__ import annotations

from array import array
from types import CodeType
from typing import Any, Final

from mllint_nan.verify.execution.adapters import FAILED, Adapter, Names, Seen
from mllint_nan.verify.execution.inputs import Layout, Point

_KEPT_MOST: Final = 1 << 20
"""Numbers of inputs and results, some forty megabytes; then it begins anew."""
_LARGE: Final = 256
"""Results of more numbers are few, and are not kept."""


class Remembering:
    """An adapter that answers what it was asked before."""

    def __init__(self, adapter: Adapter) -> None:
        self.adapter = adapter
        self.finest, self.eps = adapter.finest, adapter.eps
        self._known: dict[tuple[Any, ...], Seen] = {}
        self._kept = 0

    def run(self, code: CodeType, names: Names, point: Point, layout: Layout, dtype: str) -> Seen:
        """As the adapter does; FAILED where that raises."""
        key = _key(code, names, point, layout, dtype)
        seen = self._known.get(key)
        if seen is None:
            try:
                seen = self.adapter.run(code, names, point, layout, dtype)
            except Exception:  # whatever a framework raises, it raises again
                seen = FAILED
            self._keep(key, seen, sum(map(len, point.values())))
        return seen

    def kind(self, code: CodeType, names: Names, point: Point, layout: Layout, dtype: str) -> str:
        """As the adapter does: its errors are told of."""
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
    """Numbers by their bits: -0.0 is not 0.0. Names are kept as long as the process runs."""
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
