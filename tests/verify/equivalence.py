"""Whether a fault that was planted is one: both rewrites in exact arithmetic, at many points."""

from __future__ import annotations

from pathlib import Path
from typing import Final

from mllint_nan.findings import Applicability, Proof, Verified
from mllint_nan.fixing.repair import Chosen
from mllint_nan.rulebook.judge import Judge, Verdict
from mllint_nan.syntax.source import Source
from mllint_nan.verify.cut import cut
from mllint_nan.verify.verifier import Verifier
from tests.verifier.ground_truth import equals, repairs
from tests.verifier.oracle import Unknown
from tests.verifier.points import COARSE
from tests.verifier.samples import Sample
from tests.verify.own_rewrites import proof_of
from tests.verify.planted_rules import PlantedRule

_PROVED: Final = Proof(Verified.PROVED, "", None, None, 0, 0.0)


class _Reading(Verifier):
    """Keeps what would have been executed."""

    def __init__(self) -> None:
        super().__init__(trusts_findings=True)
        self.samples: list[Sample] = []

    def proof(self, verdict: Verdict, chosen: Chosen, judge: Judge, source: Source) -> Proof:
        is_safe = chosen.fix.applicability is Applicability.SAFE
        parts = cut(verdict, chosen, judge)
        self.samples.append(
            Sample(verdict.rule, chosen.repair, verdict.case.hazard, parts, is_safe)
        )
        return _PROVED


def is_equivalent(rule: PlantedRule, base: PlantedRule, directory: Path) -> bool:
    """Whether a rewrite is that of `base` after all, or the original wherever that is finite."""
    directory.mkdir()
    mine, right = (
        _sample(each, directory / name) for each, name in ((rule, "mine"), (base, "right"))
    )
    after = mine.cut.after
    try:
        return equals(right, after, COARSE) or repairs(right, after, COARSE)
    except Unknown:
        return False


def _sample(rule: PlantedRule, directory: Path) -> Sample:
    with _Reading() as reading:
        proof_of(rule.text, rule.program, reading, directory)
    return reading.samples[0]
