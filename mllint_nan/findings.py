"""What the analysis reports: findings, the edits that repair them, and how sure both are.

Everything here is a frozen value without behaviour beyond its own consistency, so that a
finding can be pickled, compared and sorted by any consumer.
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
"""Why an operation is not proved safe, the more likely flaws first."""


class Confidence(IntEnum):
    """What a claim rests on; a higher value is a stronger claim."""

    POSSIBLE = 1
    LIKELY = 2
    CERTAIN = 3

    def __str__(self) -> str:
        return self.name.lower()


class Hazard(str, Enum):
    """What goes wrong: the value or the gradient becomes NaN or infinite, or digits are lost.

    A gradient may also be cut off at 0. A step of training is stopped by an error, or next to
    nothing, where both are right. What is only inaccurate is finite, and is claimed by rules alone
    that are off by default.
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
        """Whether both touch a common character, or insert at the same place."""
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
    """Why it is only shown, where it is."""

    def only_shown(self, reason: str) -> Fix:
        """The same for a human; the first reason stands."""
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

    `witness` is a program that shows the flaw, None where no input was found that does.
    `counterexample` is one that shows where the fix is wrong. `inputs` counts those on which both
    sides were compared; `deviation` is how much further the fix is from a computation in double
    precision at the worst of them, in units in the last place of the largest element, or of 1.
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
    """What was executed, where that was asked for."""
    reason: str | None = None
    """Why it is no more than possible."""
    audited: bool = False
    """Whether no rule found evidence for it: the operation is not proved safe, that is all."""
    unfixed: str | None = None
    """Why it has no fix, where its rule has some."""

    @property
    def sort_key(self) -> tuple[int, int, str]:
        return (self.span.start, self.span.end, self.code)
