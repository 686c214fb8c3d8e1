"""What the conditions of a case answer, and why a match is no more than possible without them.

The reason of a verdict, which the judge keeps, must not keep the judge itself: these are functions.
"""

from __future__ import annotations

from collections.abc import Sequence
from typing import Any, Final

from mllint_nan.domains.truth import Truth
from mllint_nan.findings import Confidence, Hazard
from mllint_nan.ir import program as ir
from mllint_nan.rulebook.movement import Movement, movement_of
from mllint_nan.rulebook.predicates import Context, asked_by
from mllint_nan.rulebook.predicates.handed import is_handed_to_train
from mllint_nan.rulebook.predicates.of_data import data_given
from mllint_nan.rulebook.predicates.served import is_trained, training_of
from mllint_nan.rulebook.rule import Case, Condition, Rule, Variable
from mllint_nan.rulebook.verdict import UNSHOWN, Claim
from mllint_nan.training import Training

_OF_GRADIENTS: Final = frozenset(("gradient_flows", "is_used(trained through)"))
"""The predicates that ask who takes a gradient."""
_OF_TRAINING: Final = _OF_GRADIENTS | {"is_used(learned from)"}
"""The predicates that names of files, classes and functions have a say in."""
UNTRAINED: Final = "nothing in this project trains through it"
"""Why a flaw of a gradient is no more than possible whose uses are all in sight."""
ELSEWHERE: Final = "no visible program of this project is known to train through it"
"""Why it is no more where not all of them are."""

OF_DATA: Final = "all visible calls pass it data, and nothing that is trained: {place}"
"""Why it is no more of what is computed from data alone."""
MEASURES: Final = "it is passed on as a metric, not as a loss"
"""Why it is no more of a function that is."""
WITHOUT_GRADIENT: Final = frozenset((UNTRAINED, ELSEWHERE, MEASURES))
"""The reasons that say nothing of a value."""
UNRUN: Final = "no visible program of this project runs it"
"""Why it is no more where no name leads to it from what is run."""
REPLACED: Final = "another definition of the same name replaces it before it is used"
"""Why it is no more of one that is never run."""

EXCLUDED: Final = "with the settings of every visible instance, it never runs"
"""Why it is no more on a path that a setting of the object excludes."""
UNCALLED: Final = "no visible call of its function in this project reaches it"
"""Why it is no more on a path that what all calls give a parameter excludes."""


def is_redefined(context: Context) -> bool:
    """Whether a definition that a match stands in is replaced before anybody can use it."""
    nodes = (scope.node for scope in context.occurrence.scope.enclosing())
    return any(isinstance(one, (ir.Function, ir.Class)) and one.is_replaced for one in nodes)


def is_unrun(context: Context) -> bool:
    """Whether nothing in the project, whose programs are in sight, runs what a match stands in."""
    name = context.occurrence.scope.definition
    return bool(name) and bool(context.analysis.unrun(name).name)


def asks_of_training(case: Case) -> bool:
    return not _asked(case).isdisjoint(_OF_TRAINING)


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
    """The place of a call that gives data, where these are all that the match depends on."""
    asked = (one for one in case.when if one.question == "gradient_flows")
    return next(filter(None, (data_given(context, *arguments(one, context)) for one in asked)), "")


def why_possible(case: Case, context: Context, left: Sequence[Condition], cap: str) -> str:
    """The cap of a match, unless other files do not give the evidence either."""
    evidence = evidence_of_project(Confidence.CERTAIN, left, context)
    return lack_of_evidence(case, context) if evidence is Confidence.POSSIBLE else cap


def evidence_of_project(
    evidence: Confidence, left: Sequence[Condition], context: Context
) -> Confidence:
    """The evidence with that of the conditions which other files answer, and none refutes."""
    for condition in left:
        if evidence is Confidence.POSSIBLE:
            break
        is_met = answer(condition, context) is Truth.YES
        evidence = min(evidence, Confidence.LIKELY if is_met else Confidence.POSSIBLE)
    return evidence


def rests_on_operand(rule: Rule, case: Case) -> bool:
    """Whether its shape is the flaw, and what goes in tells how sure it is."""
    is_of_values = case.hazard in (Hazard.VALUE, Hazard.GRADIENT)
    return not case.when and is_of_values and bool(rule.fixes)


def claim_of_shape(rule: Rule, case: Case, context: Context, most: Confidence) -> Claim:
    """How sure a match is whose shape is the flaw: as sure as it is in sight what goes in.

    Of lost digits, of a step of training, and of a rule without any fix the shape is all there is.
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
    """What a condition is asked of: the terms that its variables stand for, and its constants."""
    return tuple([_argument(part, context) for part in condition.arguments])


def _argument(part: Any, context: Context) -> Any:
    if not isinstance(part, Variable):
        return part
    if part.name == "result":
        return context.occurrence.term
    return context.found.terms.get(part.name)
