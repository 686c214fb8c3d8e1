"""What the analysis reports: findings, the edits that repair them, and the confidence in both.

Everything here is a frozen value that only checks its own consistency, so that any consumer
can pickle, compare and sort findings.
"""

from __future__ import annotations

from dataclasses import dataclass, replace
from enum import Enum, IntEnum
from typing import Final

REASONS: Final = (
    "its operand's range includes the bad value",
    "its operand is an argument, and not all callers are visible",
    "its operand is the result of an unknown call",
    "its operand is an attribute",
    "only names or habits suggest that it is safe",
)
"""Why an operation is not proved safe, the likelier flaws first."""


class Confidence(IntEnum):
    """How strong the evidence of a claim is; a higher value is a stronger claim."""

    POSSIBLE = 1
    LIKELY = 2
    CERTAIN = 3

    def __str__(self) -> str:
        return self.name.lower()


class Hazard(str, Enum):
    """What goes wrong: the value or the gradient becomes NaN or infinite, or digits are lost.

    A gradient may also be cut off at 0. A training step may stop with an error or do next to
    nothing, although value and gradient are right. An inaccurate value is finite, and only rules
    that are off by default report it.
    """

    VALUE = "value"
    GRADIENT = "gradient"
    ACCURACY = "accuracy"
    STEP = "step"

    def __str__(self) -> str:
        return self.value


class Applicability(IntEnum):
    """Who may apply a fix: `--fix`, `--fix --unsafe-fixes`, or only a human."""

    DISPLAY_ONLY = 0
    UNSAFE = 1
    SAFE = 2

    def __str__(self) -> str:
        return self.name.lower().replace("_", "-")


@dataclass(frozen=True, slots=True, order=True)
class Span:
    """The characters from `start` to `end`, end excluded, of a decoded text without its BOM."""

    start: int
    end: int

    def contains(self, other: Span) -> bool:
        return self.start <= other.start and other.end <= self.end

    def overlaps(self, other: Span) -> bool:
        """Whether both cover a common character, or insert at the same place."""
        if self.start == self.end or other.start == other.end:
            return self.start <= other.end and other.start <= self.end
        return self.start < other.end and other.start < self.end


@dataclass(frozen=True, slots=True, order=True)
class Position:
    """A place in a text; `row` and `column` count from 1, columns in code points."""

    row: int
    column: int


@dataclass(frozen=True, slots=True, order=True)
class Edit:
    """Replace the text of `span` by `content`; an empty span inserts."""

    span: Span
    content: str
    start: Position
    end: Position


@dataclass(frozen=True, slots=True)
class Fix:
    """A repair: all of `edits` are applied together, or none of them."""

    message: str
    applicability: Applicability
    edits: tuple[Edit, ...]
    reason: str | None = None
    """Why the fix is only shown, if it is."""

    def only_shown(self, reason: str) -> Fix:
        """The same fix, only to be shown; the first reason is kept."""
        kept = self.reason if self.applicability is Applicability.DISPLAY_ONLY else None
        return replace(self, applicability=Applicability.DISPLAY_ONLY, reason=kept or reason)


class Verified(str, Enum):
    """What executing a fix showed."""

    PROVED = "proved"
    REFUTED = "refuted"
    NOT_EXECUTED = "not executed"

    def __str__(self) -> str:
        return self.value


@dataclass(frozen=True, slots=True)
class Proof:
    """What executing a finding's operation, before and after its fix, showed.

    `witness` is a program that shows the flaw, or None if no input was found that does.
    `counterexample` is a program that shows where the fix is wrong. `inputs` counts the inputs on
    which both sides were compared. `deviation` is how much further than the original the fix is
    from a computation in double precision on the worst of them, in units in the last place of the
    largest element, or of 1.
    """

    fix: Verified
    summary: str
    witness: str | None = None
    counterexample: str | None = None
    inputs: int = 0
    deviation: float = 0.0

    @property
    def is_confirmed(self) -> bool:
        """Whether an input was found that breaks the operation."""
        return self.witness is not None


@dataclass(frozen=True, slots=True)
class Finding:
    """A claim that an operation's value or gradient can become NaN or infinite."""

    code: str
    name: str
    message: str
    span: Span
    start: Position
    end: Position
    confidence: Confidence
    hazard: Hazard | None
    framework: str | None
    witness: str | None
    url: str | None
    fix: Fix | None = None
    proof: Proof | None = None
    """What executing it showed, if that was asked for."""
    reason: str | None = None
    """Why its confidence is no more than possible."""
    audited: bool = False
    """Whether no rule found evidence for it: the operation is only not proved safe."""
    unfixed: str | None = None
    """Why it has no fix although its rule has some."""

    @property
    def sort_key(self) -> tuple[int, int, str]:
        return (self.span.start, self.span.end, self.code)
