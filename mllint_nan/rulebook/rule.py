"""A rule as a frozen value: what it matches, what it claims, what repairs it."""

from __future__ import annotations

import math
from collections.abc import Mapping
from dataclasses import dataclass
from typing import Any

from mllint_nan.findings import Applicability, Confidence, Hazard
from mllint_nan.rulebook.pattern import Pattern


@dataclass(frozen=True, slots=True)
class Condition:
    """`predicate(argument, ...)`, or `not` that.

    An argument is a pattern variable, `result`, or a literal. `member` is the last argument of a
    predicate that has members: which of them it asks.
    """

    predicate: str
    arguments: tuple[Any, ...]
    text: str
    is_negated: bool = False
    member: str = ""

    @property
    def question(self) -> str:
        """The predicate, and the member that is asked for: `is_a(mask)`."""
        return f"{self.predicate}({self.member})" if self.member else self.predicate


@dataclass(frozen=True, slots=True)
class Variable:
    """An argument of a condition that names a pattern variable."""

    name: str


@dataclass(frozen=True, slots=True)
class Case:
    """One shape of the flaw.

    Without `when`, the shape itself is the flaw, and the confidence depends on what visibly goes
    in. With `when`, evidence makes a match `likely`, and lack of evidence `possible`. `unless`
    silences. `at_most` caps the confidence.

    As an audit, a case is used only in runs that ask for what is not proved safe: all of its
    conditions are proofs, and it claims that none of them holds.
    """

    patterns: tuple[Pattern, ...]
    frameworks: tuple[str, ...]
    when: tuple[Condition, ...]
    unless: tuple[Condition, ...]
    hazard: Hazard
    at_most: Confidence
    message: str
    witness: str
    report: str | None
    """The variable at whose place the finding is reported; by default the whole match."""
    unproved: str | None = None
    """The message if nothing shows that the operand takes a bad value; by default the same."""


@dataclass(frozen=True, slots=True)
class Tolerance:
    """By how much a safe fix may be worse than the original where the original is finite.

    Eight units in the last place are always allowed; whatever a sweep over the whole range shows
    beyond that has to be written in the rule.
    """

    eps: float = 0.0
    """Absolute error of a value or gradient, in epsilons of its format."""
    shift: float = 0.0
    """How far an epsilon or a floor moves values in exact arithmetic; where it does, gradients may
    shrink."""
    below: float = 0.0
    """Smaller inputs other than 0 are taken not to occur: for these the fix may do anything."""
    above: float = math.inf
    """Larger inputs are taken not to occur either."""


@dataclass(frozen=True, slots=True)
class Layers:
    """`last` is removed from the end of a model, and `loss` becomes `becomes`; all are paths."""

    last: str
    loss: str
    becomes: str


@dataclass(frozen=True, slots=True)
class Repair:
    """One way to fix a match; the first that applies is offered.

    `match` narrows the rule's own match. `replace` names the variable whose text is replaced,
    wherever the match found it; by default the whole match is replaced. With `layers`, the layers
    that compute the match are exchanged where they are constructed, so that together they compute
    what `rewrite` says.
    """

    match: Pattern | None
    replace: str | None
    rewrite: Pattern
    applicability: Applicability
    frameworks: tuple[str, ...]
    requires: tuple[Condition, ...]
    message: str | None
    tolerance: Tolerance = Tolerance()
    layers: Layers | None = None
    reason: str | None = None
    """Why the fix is only shown, if it is."""


@dataclass(frozen=True, slots=True)
class Witness:
    """Inputs on which the flaw shows: by name, as nested lists of numbers, and in words.

    In words, `{x}` is whatever the pattern's variable `x` stands for.
    """

    text: str
    given: Mapping[str, Any]
    only: tuple[str, ...] = ()
    """The functions of fixtures that this witness is for; all if empty."""
    match: tuple[Pattern, ...] = ()
    """Patterns of the matches that are reported with this witness, instead of the case's own."""


@dataclass(frozen=True, slots=True)
class Docs:
    why: str
    example: str
    instead: str
    fix_safety: str
    references: tuple[str, ...]


@dataclass(frozen=True, slots=True)
class Rule:
    code: str
    name: str
    family: str
    summary: str
    cases: tuple[Case, ...]
    audits: tuple[Case, ...]
    """The general operation, reported wherever nothing in `unless` proves it safe."""
    fixes: tuple[Repair, ...]
    witnesses: tuple[Witness, ...]
    overrides: tuple[str, ...]
    """Codes whose findings this rule replaces if both see the same operation."""
    uncovers: tuple[str, ...]
    """Codes of lesser flaws that may be reported once this rule's finding is repaired."""
    parameters: Mapping[str, float]
    docs: Docs
    path: str
    off_by_default: bool = False
    """Whether the rule applies only if its code, its name, its family or `ALL` is selected."""

    @property
    def frameworks(self) -> tuple[str, ...]:
        """Every framework that some case applies to."""
        return tuple(dict.fromkeys(name for case in self.cases for name in case.frameworks))
