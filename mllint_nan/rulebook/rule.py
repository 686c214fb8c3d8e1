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
        """The predicate, and which member of it is asked: `is_a(mask)`."""
        return f"{self.predicate}({self.member})" if self.member else self.predicate


@dataclass(frozen=True, slots=True)
class Variable:
    """An argument of a condition that names a pattern variable."""

    name: str


@dataclass(frozen=True, slots=True)
class Case:
    """One shape of the flaw.

    Without `when` the shape is the flaw, and as sure as it is in sight what goes in; with it,
    evidence makes a match `likely` and the lack of evidence `possible`. `unless` silences.
    `at_most` caps the confidence.

    As an audit it is asked only where what is not proved safe is asked for: all of its conditions
    are proofs, and it claims that none of them holds.
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
    """The variable at whose place the finding stands; by default the whole match."""
    unproved: str | None = None
    """The message where nothing shows that the operand gets there; by default the same."""


@dataclass(frozen=True, slots=True)
class Tolerance:
    """By how much a safe fix may be worse than the original where that is finite.

    Eight units in the last place are always allowed; what a sweep over the whole range shows
    beyond that has to be written in the rule.
    """

    eps: float = 0.0
    """Absolute error of a value or gradient, in epsilons of its format."""
    shift: float = 0.0
    """By how much an epsilon or a floor moves values in exact arithmetic; where it does, gradients
    may shrink."""
    below: float = 0.0
    """Inputs other than 0 that are smaller do not occur: the fix may do with them as it likes."""
    above: float = math.inf
    """Nor do larger ones."""


@dataclass(frozen=True, slots=True)
class Layers:
    """`last` goes from the end of a model, and where `loss` is made, `becomes` is; by path."""

    last: str
    loss: str
    becomes: str


@dataclass(frozen=True, slots=True)
class Repair:
    """One way to fix a match; the first that applies is offered.

    `match` narrows the rule's own match. `replace` names the variable whose text is replaced,
    wherever the match met it; by default the whole match is.
    With `layers`, those that compute the match are exchanged where they are made, so that together
    they compute what `rewrite` says.
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
    """Why it is only shown, where it is."""


@dataclass(frozen=True, slots=True)
class Witness:
    """Inputs by name on which the flaw shows, as nested lists of numbers, and in words.

    In words, `{x}` is what the variable of the pattern stands for.
    """

    text: str
    given: Mapping[str, Any]
    only: tuple[str, ...] = ()
    """The fixtures' functions that this witness is for; all if empty."""
    match: tuple[Pattern, ...] = ()
    """The matches that are reported with it, before any that is reported with the first one."""


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
    """The general operation, at every place that nothing in `unless` proves to be safe."""
    fixes: tuple[Repair, ...]
    witnesses: tuple[Witness, ...]
    overrides: tuple[str, ...]
    """Codes whose findings this rule replaces where both see the same operation."""
    uncovers: tuple[str, ...]
    """Codes that may be found once this rule's finding is repaired: a lesser flaw of the same."""
    parameters: Mapping[str, float]
    docs: Docs
    path: str
    off_by_default: bool = False
    """Whether it is asked only where its code, its name, its family or all rules are selected."""

    @property
    def frameworks(self) -> tuple[str, ...]:
        """Every framework that some case is true in."""
        return tuple(dict.fromkeys(name for case in self.cases for name in case.frameworks))
