"""Why a match is no more than possible where its evidence is missing."""

from __future__ import annotations

from typing import Final

from mllint_nan.rulebook.predicates import Context
from mllint_nan.rulebook.predicates.served import training_of
from mllint_nan.rulebook.rule import Case
from mllint_nan.rulebook.verdict import UNSHOWN
from mllint_nan.training import Training

_OF_TRAINING: Final = frozenset(
    ("gradient_flows", "is_used(trained through)", "is_used(learned from)")
)
"""The predicates that names of files, classes and functions have a say in."""
UNTRAINED: Final = "nothing in this project trains through it"
"""Why a flaw of a gradient is no more than possible whose uses are all in sight."""


def asks_of_training(case: Case) -> bool:
    asked = {condition.question for condition in (*case.when, *case.unless)}
    return not asked.isdisjoint(_OF_TRAINING)


def is_untrained(case: Case, context: Context) -> bool:
    return asks_of_training(case) and training_of(context).training is Training.BESIDE


def lack_of_evidence(case: Case, context: Context) -> str:
    return UNTRAINED if is_untrained(case, context) else UNSHOWN
