"""One match and its rewrite, as they are asked for, and what has been seen of them so far."""

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
"""An input as nested lists, and in words what shows there."""
_CODES: Final = ("before", "after", "exact", "rough", "shrunk", "precise")
_COUNTS: Final = ("compared", "changed", "witnesses", "repaired", "worst", "moved")
_EXAMPLES: Final = (
    *("witness", "unrepaired", "idle", "lost", "regained"),
    *("change", "counterexample"),
)
_LOOKED_EVERY: Final = 16
"""Inputs: to ask for the processor time takes longer than to execute an expression."""
_ORDINARY_LEAST: Final = 4
_ORDINARY_CHANGED: Final = 1 / 3
"""A fix that changes more of the ordinary inputs than so many is another function."""


@dataclass
class LintResult:
    """What has been seen; where inputs are told apart by shape, that is the key."""

    compared: int = 0
    changed: int = 0
    witnesses: int = 0
    repaired: int = 0
    worst: float = 0.0
    moved: float = 0.0
    ordinary: dict[tuple[int, ...], tuple[int, int]] = field(default_factory=dict)
    """At how many ordinary inputs both were compared, and at how many changed."""
    unusual: dict[tuple[int, ...], tuple[int, int]] = field(default_factory=dict)
    """Likewise at the others."""
    large: dict[bool, tuple[int, int]] = field(default_factory=dict)
    """Likewise at large inputs of one shape, by whether the first of them is positive."""
    many: tuple[int, int] = (0, 0)
    """Likewise at inputs of many elements."""
    apart: tuple[int, int] = (0, 0)
    """Likewise at inputs whose rows are of two magnitudes."""
    is_flaw_large: bool = False
    """Whether the original fails where one of the inputs is large."""
    is_flaw_at_large: bool = False
    """Whether it does where all of them are."""
    is_flaw_usual: bool = False
    """Whether it does where none of them is."""
    witness: Shown | None = None
    unrepaired: Shown | None = None
    idle: Shown | None = None
    """Where both sides fail alike: by a flaw of what is around them, or the fix does nothing."""
    change: Shown | None = None
    counterexample: Shown | None = None
    lost: Shown | None = None
    """Where a value underflows to 0, and so it does after the fix."""
    regained: Shown | None = None
    """Where it does no longer."""
    raised: Shown | None = None
    """Where the fix cannot be executed, but the original can."""
    stopped_after: int | None = None
    """After how many executions the time was over, if it was."""

    @property
    def is_another_function(self) -> bool:
        """Whether a fix that may change results does so to most, or to many at ordinary inputs.

        Likewise to many at large ones, if the original does not fail there, or at others too; of
        either sign, if it fails where one of several inputs is large. Likewise to most where there
        are many elements, or rows far apart: there a fault shows that does not elsewhere.
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
        """What is told of it."""
        told = (*_COUNTS, *_EXAMPLES, "is_another_function", "stopped_after")
        return {key: getattr(self, key) for key in told}


@cache
def _bound_by(imports: tuple[str, ...]) -> Names:
    """Of all tasks that import and define the same, so that what is compiled serves them all."""
    names: dict[str, Any] = {}
    exec("\n".join(imports), names)
    return names


@dataclass
class Task:
    """What is executed, and with which inputs.

    How many inputs are tried is the same on every machine. Processor time only ends what would
    take too long, and of that nothing is proved.
    """

    adapter: Adapter
    names: Names
    form: Format
    codes: Mapping[str, CodeType | None]
    layout: Layout
    offset: float
    constants: Sequence[float]
    slack: float
    """What the rule allows the fix to be off, in epsilons of the format."""
    hazard: str
    is_safe: bool
    has_axis: bool
    deadline: float
    """In seconds of processor time of this process."""
    outcome: LintResult = field(default_factory=LintResult)
    chance: random.Random = field(default_factory=lambda: random.Random(0))
    executions: int = 0
    _asked: int = 0

    @staticmethod
    def asked(request: Mapping[str, Any], adapter: Adapter) -> Task:
        """The task of a request; what its imports and functions say is executed."""
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
        """Whether there is such an expression: `rough`, `shrunk`, `precise`."""
        return self.codes[code] is not None

    def run(self, code: str, point: Point, dtype: str | None = None) -> Seen:
        """What an expression returns, in the task's own format or another; FAILED if it raises."""
        self.executions += 1
        expression = self.codes[code]
        assert expression is not None
        try:
            return self.adapter.run(
                expression, self.names, point, self.layout, dtype or self.form.name
            )
        except Exception:  # whatever a framework raises, it has no result there
            return FAILED

    def kind(self, code: str, point: Point) -> str:
        """The kind of what an expression returns; raises what the framework does."""
        self.executions += 1
        expression = self.codes[code]
        assert expression is not None
        return self.adapter.kind(expression, self.names, point, self.layout, self.form.name)

    def truth(self, point: Point) -> Seen:
        """The original in more digits than those of the format, where its framework has them.

        `rough` is it in single precision, where the format is double precision.
        """
        if self.form.name == self.adapter.finest:
            return self.run("exact", point)
        seen = self.run("exact", point, self.adapter.finest)
        return seen if seen.kind else self.run("exact", point, "float64")

    def precise(self, point: Point, index: int, name: str | None, seeds: Sequence[float]) -> float:
        """An element of the original in more digits than any format has; NaN if it has none.

        Or the derivative of all, weighted, by an element of an input.
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
        """The epsilon of what is taken for exact."""
        return self.adapter.eps

    def shown(self, point: Point, what: str) -> Shown:
        """An input, and what shows there."""
        return {"point": self.layout.nested(point), "what": what}
