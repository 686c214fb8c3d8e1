"""Why rules report an operation, or stay quiet: all answers, and what else counts."""

from __future__ import annotations

from collections.abc import Iterator, Sequence
from itertools import islice

from mllint_nan.findings import Confidence
from mllint_nan.flow.state import Occurrence
from mllint_nan.rulebook.contexts import MATCHES_MOST
from mllint_nan.rulebook.evidence import (
    OF_DATA,
    UNRUN,
    asks_of_training,
    asks_of_use,
    place_of_data,
)
from mllint_nan.rulebook.judge import Judge
from mllint_nan.rulebook.match import Substitution
from mllint_nan.rulebook.predicates import Context, asked_by, framework_of
from mllint_nan.rulebook.predicates.quotients import inspecting_name
from mllint_nan.rulebook.predicates.untrained import untrained_name
from mllint_nan.rulebook.rule import Case, Rule
from mllint_nan.rulebook.verdict import (
    UNMOVED,
    UNREPAIRED,
    CaseEvaluation,
    Claim,
    claimed,
)


def evaluations(
    judge: Judge, occurrence: Occurrence, rules: Sequence[Rule]
) -> Iterator[CaseEvaluation]:
    """Yield an evaluation for each given rule that matches: why it is reported or stays quiet."""
    framework = framework_of(occurrence.term, judge.analysis)
    for rule, case, pattern in judge.candidates(occurrence.term):
        if framework is None or framework not in case.frameworks or rule not in rules:
            continue
        told = [
            _evaluation(judge, rule, case, occurrence, found, framework)
            for found in islice(judge.matcher.match(pattern, occurrence.term), MATCHES_MOST)
        ]
        if told:  # of `k * x` and `x * k`, the one that is reported
            yield max(told, key=lambda one: -1 if one.confidence is None else one.confidence)


def _evaluation(
    judge: Judge,
    rule: Rule,
    case: Case,
    occurrence: Occurrence,
    found: Substitution,
    framework: str,
) -> CaseEvaluation:
    context = Context(judge.analysis, judge.oracle, occurrence, found)
    answers = tuple(
        (kind, condition, judge.holds(condition, context))
        for kind, conditions in (("unless", case.unless), ("when", case.when))
        for condition in conditions
    )
    strict = Context(judge.analysis, judge.strict, occurrence, found)
    proofs = tuple(
        asked_by(condition).is_proof and judge.holds(condition, strict) is truth
        for _, condition, truth in answers
    )
    claim = judge.claim(rule, case, context)
    confidence = claim.confidence
    if confidence is not None:
        confidence = judge.settled(
            claimed(rule, case, occurrence, found, framework, claim)
        ).confidence
    caps = tuple(_caps(judge, case, context, claim, confidence))
    moved_by = claim.moved_by if confidence is Confidence.CERTAIN else ""
    return CaseEvaluation(
        rule, case, answers, caps, found.terms, confidence, moved_by, proofs=proofs
    )


def _caps(
    judge: Judge, case: Case, context: Context, claim: Claim, confidence: Confidence | None
) -> Iterator[str]:
    """Yield, in words, what keeps the confidence down besides the answers."""
    evidence = judge.evidence(case, context)
    lowered = confidence != evidence
    caps = judge.caps(case, context) if evidence is not None else ()
    given = [reason for cap, reason in caps if cap == confidence and lowered]
    yield from given
    if not given and lowered and confidence is not None:
        if confidence is Confidence.LIKELY:
            yield UNMOVED
        else:
            yield UNREPAIRED if claim.rests_on_fix else UNRUN
    if confidence in (None, Confidence.POSSIBLE) and asks_of_training(case):
        name = untrained_name(context)
        if name is not None:
            yield f"`{name}` suggests that nothing is trained through it"
        place = place_of_data(case, context) if confidence is not None else ""
        if place:
            yield OF_DATA.format(place=place)
    if confidence is Confidence.POSSIBLE and asks_of_use(case):
        name = inspecting_name(context)
        if name is not None:
            yield f"`{name}` suggests that it is only inspected"
