"""One match and its rewrite as requested, and what has been seen of them so far."""

from __future__ import annotations

import random
import time
from collections.abc import Mapping, Sequence
from dataclasses import dataclass, field
from functools import cache
from types import CodeType
from typing import Any, Final

from mllint_nan.verify.execution.adapters import FAILED, Adapter, Names, Seen
from mllint_nan.verify.execution.decimals import slope_of, value_of
from mllint_nan.verify.execution.formats import Format
from mllint_nan.verify.execution.inputs import Layout, Point, Variable

Shown = dict[str, Any]
"""An input as nested lists, and a description of what it shows."""
_CODES: Final = ("before", "after", "exact", "rough", "shrunk", "precise")
_COUNTS: Final = ("compared", "changed", "witnesses", "repaired", "worst", "moved")
_EXAMPLES: Final = (
    *("witness", "unrepaired", "idle", "lost", "regained"),
    *("change", "counterexample"),
)
_LOOKED_EVERY: Final = 16
"""Every how many inputs the processor time is read, which is slower than an execution."""
_ORDINARY_LEAST: Final = 4
_ORDINARY_CHANGED: Final = 1 / 3
"""A fix that changes a larger share of the ordinary inputs is another function."""


@dataclass
class SweepResult:
    """What has been seen; the counts are by shape where a shape is the key."""

    compared: int = 0
    changed: int = 0
    witnesses: int = 0
    repaired: int = 0
    worst: float = 0.0
    moved: float = 0.0
    ordinary: dict[tuple[int, ...], tuple[int, int]] = field(default_factory=dict)
    """At how many ordinary inputs both were compared, and at how many of these they differed."""
    unusual: dict[tuple[int, ...], tuple[int, int]] = field(default_factory=dict)
    """These counts for the other inputs."""
    large: dict[bool, tuple[int, int]] = field(default_factory=dict)
    """These counts for large inputs of one shape, by whether the first of them is positive."""
    many: tuple[int, int] = (0, 0)
    """These counts for inputs of many elements."""
    apart: tuple[int, int] = (0, 0)
    """These counts for inputs whose rows have two magnitudes."""
    is_flaw_large: bool = False
    """Whether the original fails where one of the inputs is large."""
    is_flaw_at_large: bool = False
    """Whether the original fails where all of the inputs are large."""
    is_flaw_usual: bool = False
    """Whether the original fails where no input is large."""
    witness: Shown | None = None
    unrepaired: Shown | None = None
    idle: Shown | None = None
    """Where both sides fail alike: the surrounding code has a flaw, or the fix does nothing."""
    change: Shown | None = None
    counterexample: Shown | None = None
    lost: Shown | None = None
    """Where a value underflows to 0 both before and after the fix."""
    regained: Shown | None = None
    """Where a value underflows to 0 only before the fix."""
    raised: Shown | None = None
    """Where the fix raises an exception, but the original does not."""
    stopped_after: int | None = None
    """After how many executions the time was over, or None."""

    @property
    def is_another_function(self) -> bool:
        """Whether a fix that may change results changes most, or many at ordinary inputs.

        Or many at large ones, if the original does not fail there, or fails at others too; of
        either sign, if it fails where one of several inputs is large. Or most with many elements
        or rows far apart, where faults show that do not show elsewhere.
        """
        of_large = [differing / tried for tried, differing in self.large.values()]
        if of_large and self.is_flaw_usual and max(of_large) > _ORDINARY_CHANGED:
            return True
        if not self.is_flaw_at_large and of_large:
            reached = min(of_large) if self.is_flaw_large else sum(of_large) / len(of_large)
            if reached > _ORDINARY_CHANGED:
                return True
        if any(n >= _ORDINARY_LEAST and most > n / 2 for n, most in (self.many, self.apart)):
            return True
        of_all = [*self.ordinary.values(), *self.unusual.values()]
        tried, differing = (sum(counts) for counts in zip((0, 0), *of_all, strict=True))
        return differing > tried / 2 or any(
            tried >= _ORDINARY_LEAST and differing > tried * _ORDINARY_CHANGED
            for tried, differing in self.ordinary.values()
        )

    def reply(self) -> dict[str, Any]:
        """Return the reply for the parent process."""
        told = (*_COUNTS, *_EXAMPLES, "is_another_function", "stopped_after")
        return {key: getattr(self, key) for key in told}


@cache
def _bound_by(imports: tuple[str, ...]) -> Names:
    """Return the names that imports bind, shared by tasks to reuse compiled functions."""
    names: dict[str, Any] = {}
    exec("\n".join(imports), names)
    return names


@dataclass
class Task:
    """What is executed, and with which inputs.

    The number of inputs does not depend on the machine. The time limit only stops executions
    that take too long, and those prove nothing.
    """

    adapter: Adapter
    names: Names
    form: Format
    codes: Mapping[str, CodeType | None]
    layout: Layout
    offset: float
    constants: Sequence[float]
    slack: float
    """The error that the rule allows the fix, in epsilons of the format."""
    hazard: str
    is_safe: bool
    has_axis: bool
    deadline: float
    """In seconds of this process's CPU time."""
    outcome: SweepResult = field(default_factory=SweepResult)
    chance: random.Random = field(default_factory=lambda: random.Random(0))
    executions: int = 0
    _asked: int = 0

    @staticmethod
    def asked(request: Mapping[str, Any], adapter: Adapter) -> Task:
        """Return the task of a request; executes its imports and function definitions."""
        codes = {
            key: None if request[key] is None else compile(request[key], "<expression>", "eval")
            for key in _CODES
        }
        return Task(
            adapter,
            _bound_by(tuple(request["imports"])),
            Format(request["dtype"]),
            codes,
            Layout([Variable(**variable) for variable in request["variables"]]),
            request["offset"],
            request["constants"],
            request["slack"],
            request["hazard"],
            request["is_safe"],
            request["has_axis"],
            time.process_time() + request["seconds"],
        )

    @property
    def variables(self) -> Sequence[Variable]:
        """The inputs."""
        return self.layout.variables

    @property
    def is_over(self) -> bool:
        """Whether something is wrong, so that no more needs to be tried, or the time is over."""
        if self.outcome.counterexample is not None:
            return True
        outcome = self.outcome
        is_asked = self._asked % _LOOKED_EVERY == 0 and outcome.stopped_after is None
        self._asked += 1
        if is_asked and time.process_time() >= self.deadline:
            outcome.stopped_after = self.executions
        return outcome.stopped_after is not None

    def has(self, code: str) -> bool:
        """Whether there is an optional expression: `rough`, `shrunk`, `precise`."""
        return self.codes[code] is not None

    def run(self, code: str, point: Point, dtype: str | None = None) -> Seen:
        """Return an expression's result, in the task's or another format; FAILED if it raises."""
        self.executions += 1
        expression = self.codes[code]
        assert expression is not None
        try:
            return self.adapter.run(
                expression, self.names, point, self.layout, dtype or self.form.name
            )
        except Exception:  # whatever a framework raises, there is no result
            return FAILED

    def kind(self, code: str, point: Point) -> str:
        """Return the kind of an expression's result; raises the exceptions of the framework."""
        self.executions += 1
        expression = self.codes[code]
        assert expression is not None
        return self.adapter.kind(expression, self.names, point, self.layout, self.form.name)

    def truth(self, point: Point) -> Seen:
        """Return the original's result in the finest format that its framework supports.

        `rough` is the original in single precision, if the format is double precision.
        """
        if self.form.name == self.adapter.finest:
            return self.run("exact", point)
        seen = self.run("exact", point, self.adapter.finest)
        return seen if seen.kind else self.run("exact", point, "float64")

    def precise(self, point: Point, index: int, name: str | None, seeds: Sequence[float]) -> float:
        """Return an element of the original in more digits than any format has; NaN if it has none.

        With `name`: the derivative of the weighted sum by an element of that input.
        """
        code = self.codes["precise"]
        assert code is not None
        self.executions += 1
        inputs = {key: tuple(map(float, row)) for key, row in point.items()}
        if name is None:
            return value_of(code, inputs, index)
        return slope_of(code, inputs, tuple(seeds), (name, index))

    @property
    def finest(self) -> float:
        """The epsilon of the exact results."""
        return self.adapter.eps

    def shown(self, point: Point, what: str) -> Shown:
        """Return an input with a description of what it shows."""
        return {"point": self.layout.nested(point), "what": what}
