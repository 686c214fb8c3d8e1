"""The answers to the conditions of a case, and why a match is only possible without them.

These are functions because the reason of a verdict, which the judge keeps, must not keep the judge.
"""

from __future__ import annotations

from collections.abc import Sequence
from typing import Any, Final

from mllint_nan.domains.truth import Truth
from mllint_nan.findings import Confidence, Hazard
from mllint_nan.ir import program as ir
from mllint_nan.rulebook.movement import Movement, movement_of
from mllint_nan.rulebook.predicates import Context, asked_by
from mllint_nan.rulebook.predicates.differentiation import is_trained, training_of
from mllint_nan.rulebook.predicates.of_data import data_given
from mllint_nan.rulebook.predicates.passed_functions import is_handed_to_train
from mllint_nan.rulebook.rule import Case, Condition, Rule, Variable
from mllint_nan.rulebook.verdict import UNSHOWN, Claim
from mllint_nan.training import Training

_OF_GRADIENTS: Final = frozenset(("gradient_flows", "is_used(trained through)"))
"""The predicates that ask whether a gradient is taken."""
_OF_TRAINING: Final = _OF_GRADIENTS | {"is_used(learned from)"}
"""The predicates that the names of files, classes and functions influence."""
_AT_STAKE: Final = "is_used(at stake)"
UNTRAINED: Final = "nothing in this project trains through it"
"""Why a gradient flaw is only possible if all uses are visible."""
ELSEWHERE: Final = "no visible program of this project is known to train through it"
"""Why it is only possible if not all of them are."""

OF_DATA: Final = "all visible calls pass it only data, nothing that is trained: {place}"
"""Why it is only possible if only data goes in."""
MEASURES: Final = "it is passed on as a metric, not as a loss"
"""Why it is only possible in a function that is used as a metric."""
WITHOUT_GRADIENT: Final = frozenset((UNTRAINED, ELSEWHERE, MEASURES))
"""The reasons that do not apply to values."""
UNRUN: Final = "no visible code of this project runs it"
"""Why it is only possible if nothing that runs refers to it."""
REPLACED: Final = "another definition of the same name replaces it before it is used"
"""Why it is only possible in a definition that never runs."""

EXCLUDED: Final = "with the settings of every visible instance, it never runs"
"""Why it is only possible on a path that a setting of the object excludes."""
UNCALLED: Final = "no visible call of its function in this project reaches it"
"""Why it is only possible on a path that the arguments of all calls exclude."""


def is_redefined(context: Context) -> bool:
    """Whether a definition around the match is replaced before it can be used."""
    nodes = (scope.node for scope in context.occurrence.scope.enclosing())
    return any(isinstance(one, (ir.Function, ir.Class)) and one.is_replaced for one in nodes)


def is_unrun(context: Context) -> bool:
    """Whether no visible program of the project runs the definition around the match."""
    name = context.occurrence.scope.definition
    return bool(name) and bool(context.analysis.unrun(name).name)


def asks_of_training(case: Case) -> bool:
    return not _asked(case).isdisjoint(_OF_TRAINING)


def asks_of_use(case: Case) -> bool:
    """Whether a case asks if something is computed from the result."""
    return _AT_STAKE in _asked(case)


def _asked(case: Case) -> set[str]:
    return {condition.question for condition in (*case.when, *case.unless)}


def lack_of_evidence(case: Case, context: Context) -> str:
    if _asked(case).isdisjoint(_OF_GRADIENTS):
        return UNSHOWN
    training = training_of(context).training
    if is_handed_to_train(context, of_inner=training is Training.THROUGH) is Truth.NO:
        return MEASURES
    if training is Training.BESIDE:
        return UNTRAINED
    is_elsewhere = training is Training.ELSEWHERE
    is_beside = is_elsewhere and not is_trained(context, context.occurrence.term)
    if is_beside:
        return ELSEWHERE
    place = place_of_data(case, context)
    return OF_DATA.format(place=place) if place else UNSHOWN


def place_of_data(case: Case, context: Context) -> str:
    """The place of a call that passes data, if the match depends on nothing else."""
    asked = (one for one in case.when if one.question == "gradient_flows")
    return next(filter(None, (data_given(context, *arguments(one, context)) for one in asked)), "")


def why_possible(case: Case, context: Context, left: Sequence[Condition], cap: str) -> str:
    """The cap of a match, or the lack of evidence if other files give none either."""
    evidence = evidence_of_project(Confidence.CERTAIN, left, context)
    return lack_of_evidence(case, context) if evidence is Confidence.POSSIBLE else cap


def evidence_of_project(
    evidence: Confidence, left: Sequence[Condition], context: Context
) -> Confidence:
    """The evidence, including the conditions that other files answer."""
    for condition in left:
        if evidence is Confidence.POSSIBLE:
            break
        is_met = answer(condition, context) is Truth.YES
        evidence = min(evidence, Confidence.LIKELY if is_met else Confidence.POSSIBLE)
    return evidence


def rests_on_operand(rule: Rule, case: Case) -> bool:
    """Whether the shape is the flaw, and its operand decides the confidence."""
    is_of_values = case.hazard in (Hazard.VALUE, Hazard.GRADIENT)
    return not case.when and is_of_values and bool(rule.fixes)


def claim_of_shape(rule: Rule, case: Case, context: Context, most: Confidence) -> Claim:
    """The confidence in a match whose shape is the flaw, which depends on what visibly goes in.

    For lost digits, training steps and rules without a fix, the shape is all there is.
    """
    if not rests_on_operand(rule, case):
        return Claim(min(most, Confidence.LIKELY))
    movement, by = movement_of(case, context)
    if movement is Movement.FREE:
        return Claim(most, moved_by=by)
    return Claim(
        min(most, Confidence.LIKELY),
        lacks_evidence=True,
        rests_on_fix=movement is Movement.UNKNOWN,
        moved_by=by,
    )


def answer(condition: Condition, context: Context) -> Truth:
    """The answer to one condition of a rule."""
    truth = asked_by(condition).ask(context, *arguments(condition, context))
    return truth.not_() if condition.is_negated else truth


def arguments(condition: Condition, context: Context) -> tuple[Any, ...]:
    """The arguments of a condition: the terms of its variables, and its constants."""
    terms, result = context.found.terms, context.occurrence.term
    return tuple(
        [
            part
            if not isinstance(part, Variable)
            else result
            if part.name == "result"
            else terms.get(part.name)
            for part in condition.arguments
        ]
    )
