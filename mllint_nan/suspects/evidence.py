"""Evidence that an operation is the origin of a NaN, by named kinds.

Each kind is a question about one verdict. Its weight in `weights.toml` is fitted to lines that
were shown by execution to be origins.
"""

from __future__ import annotations

import math
import os
from collections.abc import Callable, Mapping
from dataclasses import dataclass
from functools import lru_cache
from typing import Final

import tomli

from mllint_nan.findings import REASONS, Confidence, Hazard
from mllint_nan.flow.formats import shown
from mllint_nan.ir.term import INPUT, OPAQUE, Term, behind_views, peel, walk
from mllint_nan.linter import Prepared
from mllint_nan.rulebook.predicates import Context
from mllint_nan.rulebook.predicates.differentiation import is_learned, shows_training
from mllint_nan.rulebook.rule import Variable
from mllint_nan.rulebook.verdict import Verdict
from mllint_nan.training import Training, TrainingUse

_HALVES: Final = ("float16", "bfloat16")
_WEIGHTS: Final = os.path.join(os.path.dirname(__file__), "weights.toml")
_COMPUTED, _ARGUMENT, _GIVEN, _ATTRIBUTE, _HABIT = REASONS
_SINGULAR: Final = (0.0, 1.0, -1.0, math.inf, -math.inf)
"""Values of an operand at which most operations break."""


@dataclass(frozen=True, slots=True)
class Candidate:
    """A verdict in a program, with what is known about training through it."""

    verdict: Verdict
    prepared: Prepared
    training: TrainingUse

    @property
    def context(self) -> Context:
        judge = self.prepared.judge
        if not self.verdict.audited:
            return judge.context(self.verdict)
        return Context(judge.analysis, judge.strict, self.verdict.occurrence, self.verdict.found)

    @property
    def operands(self) -> tuple[Term, ...]:
        """The operands in the rule's conditions, or if there are none, all operands."""
        conditions = (*self.verdict.case.when, *self.verdict.case.unless)
        named = dict.fromkeys(
            part.name
            for condition in conditions
            for part in condition.arguments
            if isinstance(part, Variable)
        )
        found = [self.verdict.found.terms.get(name) for name in named]
        terms = tuple(term for term in found if term is not None)
        return terms or self.verdict.occurrence.term.operands


def _is_attained(candidate: Candidate) -> bool:
    facts = candidate.verdict.occurrence.state.facts
    oracle = candidate.prepared.judge.oracle
    return any(
        point in value.attained
        for value in (oracle.value(peel(term), facts) for term in candidate.operands)
        if not value.is_constant
        for point in _SINGULAR
    )


def _is_moved(candidate: Candidate) -> bool:
    context = candidate.context
    return any(is_learned(context, part) for term in candidate.operands for part in walk(term))


def _is_in_half(candidate: Candidate) -> bool:
    return any(shown(part) in _HALVES for term in candidate.operands for part in walk(peel(term)))


def _is_trained(candidate: Candidate) -> bool:
    is_beside = candidate.training.training is Training.BESIDE
    return not is_beside and shows_training(candidate.context, candidate.verdict.occurrence.term)


def _is_outside(candidate: Candidate) -> bool:
    """Whether it is computed at the top level, from nothing that training changes."""
    occurrence = candidate.verdict.occurrence
    return occurrence.scope.definition == "" and not _is_moved(candidate)


def _origin_is(operation: object) -> Callable[[Candidate], bool]:
    return lambda candidate: any(
        behind_views(term).operation is operation for term in candidate.operands
    )


def _reason_is(reason: str) -> Callable[[Candidate], bool]:
    return lambda candidate: candidate.verdict.audited and candidate.verdict.reason == reason


def _is_shape(candidate: Candidate) -> bool:
    """Whether its rule needs no evidence: then the operand only affects the confidence."""
    case = candidate.verdict.case
    return not case.when and case.at_most is Confidence.CERTAIN


@dataclass(frozen=True, slots=True)
class Evidence:
    """One kind: its name in the weights, its description, and the question itself."""

    name: str
    text: str
    holds: Callable[[Candidate], bool]


CATALOGUE: Final = (
    Evidence(
        "certain",
        "the pattern alone is a flaw",
        lambda one: one.verdict.confidence >= Confidence.LIKELY and _is_shape(one),
    ),
    Evidence(
        "likely",
        "the source shows that the bad value occurs",
        lambda one: one.verdict.confidence >= Confidence.LIKELY and not _is_shape(one),
    ),
    Evidence(
        "shape",
        "it is a known flaw if its operand gets that far",
        lambda one: one.verdict.confidence is Confidence.POSSIBLE and not one.verdict.audited,
    ),
    Evidence("called", "a visible call causes it", lambda one: one.verdict.call is not None),
    Evidence("attained", "its operand attains the bad value", _is_attained),
    Evidence("moved", "training moves its operand", _is_moved),
    Evidence("half", "its operand is in half precision", _is_in_half),
    Evidence("trained", "something is trained through it", _is_trained),
    Evidence(
        "beside",
        "no visible code trains through it",
        lambda one: one.training.training is Training.BESIDE,
    ),
    Evidence("outside", "it is outside all functions", _is_outside),
    Evidence("argument", "its operand comes from a caller", _origin_is(INPUT)),
    Evidence("given", "its operand comes from an unknown call", _origin_is(OPAQUE)),
    Evidence("computed", _COMPUTED, _reason_is(_COMPUTED)),
    Evidence("habit", _HABIT, _reason_is(_HABIT)),
    Evidence(
        "gradient",
        "its gradient breaks before its value",
        lambda one: one.verdict.case.hazard is Hazard.GRADIENT,
    ),
)
"""In the order in which it is reported."""


@dataclass(frozen=True, slots=True)
class Weights:
    """The weight of each kind of evidence, in log-odds; rules that are not listed count 0."""

    bias: float
    evidence: Mapping[str, float]
    rules: Mapping[str, float]
    """By code: how often a rule's matches are origins, beyond what the evidence says."""


@lru_cache(1)
def weights() -> Weights:
    with open(_WEIGHTS, "rb") as file:
        table = tomli.load(file)
    return Weights(table["bias"], table["evidence"], table["rules"])


def evidence_of(candidate: Candidate) -> tuple[Evidence, ...]:
    """Return the kinds of evidence that hold for a candidate."""
    return tuple(one for one in CATALOGUE if one.holds(candidate))


def score(candidate: Candidate, evidence: tuple[Evidence, ...]) -> float:
    """Return the log-odds that a candidate is the origin: a weighted sum of its evidence."""
    known = weights()
    return (
        known.bias
        + sum(known.evidence.get(one.name, 0.0) for one in evidence)
        + known.rules.get(candidate.verdict.rule.code, 0.0)
    )
