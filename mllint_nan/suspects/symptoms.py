"""How an origin shows in the training loop."""

from __future__ import annotations

import re
from typing import Final

from mllint_nan.findings import Hazard
from mllint_nan.rulebook.predicates.context import is_aside
from mllint_nan.suspects.evidence import Candidate

AT_ONCE: Final = "the loss is NaN or infinite in the same step"
ONE_STEP_LATER: Final = (
    "the loss of that step is still finite; its gradient is not, so the parameters are NaN after "
    "the step, and every loss from then on"
)
THROUGH_PARAMETERS: Final = (
    "the gradients are NaN or infinite after this call, the parameters after the step, and every "
    "loss from then on"
)
NEVER: Final = "no NaN at all: the gradient is 0, and what the operation belongs to stops learning"
BESIDE: Final = (
    "what is computed here without gradients (a target, a statistic) is NaN or infinite, and so is "
    "the loss as soon as it uses that"
)
_CUT_OFF: Final = re.compile(r"\bgradient (is )?0\b")


def shown_as(candidate: Candidate) -> str:
    """The first visible symptom if the operation breaks."""
    verdict = candidate.verdict
    if verdict.occurrence.term.operation.kind == "effect":
        return THROUGH_PARAMETERS
    if verdict.case.hazard is Hazard.GRADIENT:
        return NEVER if _CUT_OFF.search(verdict.case.message) else ONE_STEP_LATER
    return BESIDE if is_aside(verdict.occurrence) else AT_ONCE
