"""How many digits an expression loses at a witness: what was computed against the exact result.

The expression is the one that the finding stands at, cut out as `--verify` cuts it, over the
parameters of the fixture's function, which returns it and nothing else.
"""

from __future__ import annotations

import math
from contextlib import suppress
from functools import cache
from typing import Final

import numpy as np

from mllint_nan.domains.dtype import FORMATS, Format
from mllint_nan.findings import Confidence, Proof, Span, Verified
from mllint_nan.fixing.repair import Chosen
from mllint_nan.linter import Settings, lint_bytes
from mllint_nan.rulebook.judge import Judge
from mllint_nan.rulebook.verdict import Verdict
from mllint_nan.syntax.source import Source
from mllint_nan.verify.cut import Cut, cut
from mllint_nan.verify.variables import Uncuttable
from mllint_nan.verify.verifier import Verifier
from tests.verifier.claims import Claim
from tests.verifier.observation import Observed
from tests.verifier.oracle import Oracle
from tests.verifier.units import Split

KEPT: Final = 8.0
"""The epsilons by which a result may be off that has kept its digits."""
_SHOWN: Final = Proof(Verified.PROVED, "", None, None, 0, 0.0)


class _Cutter(Verifier):
    """Cuts out what it is asked to prove, by place."""

    def __init__(self) -> None:
        super().__init__(trusts_findings=True)
        self.cuts: dict[Span, Cut] = {}

    def proof(self, verdict: Verdict, chosen: Chosen, judge: Judge, source: Source) -> Proof:
        with suppress(Uncuttable):
            self.cuts[source.span(verdict.reported.site)] = cut(verdict, chosen, judge)
        return _SHOWN


@cache
def _cuts(text: str, select: tuple[str, ...]) -> dict[Span, Cut]:
    with _Cutter() as cutter:
        settings = Settings(select, min_confidence=Confidence.POSSIBLE, verifier=cutter)
        lint_bytes(text.encode(), "fixture.py", settings)
    return cutter.cuts


def exact_result(claim: Claim) -> np.ndarray | None:
    """What the function returns in exact arithmetic; None if that cannot be told."""
    parts = [_cuts(claim.before, (claim.code,)).get(span) for span in claim.spans]
    if len(parts) != 1 or parts[0] is None or claim.inputs is None:
        return None
    (part,) = parts
    if not {variable.name for variable in part.variables} <= claim.inputs.keys():
        return None
    oracle = Oracle(FORMATS[claim.form_of_witness])
    inputs = {name: oracle.numbers(array) for name, array in claim.inputs.items()}
    return Split.of(oracle.value(part.before, inputs)).high


def complaint_before(claim: Claim, seen: Observed) -> str:
    """What speaks against the claim that digits are lost: at least half of them."""
    true = exact_result(claim)
    if true is None:
        return "the function does not return what the finding is about, of its parameters"
    error, form = _relative_error(seen, true)
    return "" if error > math.sqrt(form.eps) else f"the relative error is no more than {error:.1e}"


def complaint_after(claim: Claim, seen: Observed) -> str:
    """What speaks against the claim that the fix keeps them."""
    true = exact_result(claim)
    assert true is not None
    error, form = _relative_error(seen, true)
    return "" if error <= KEPT * form.eps else f"the relative error is still {error:.1e}"


def _relative_error(seen: Observed, true: np.ndarray) -> tuple[float, Format]:
    """The largest of the entries, and the format that they are in."""
    (value,) = seen.values
    errors = np.abs(value.entries.astype(np.float64) - true) / np.abs(true)
    return float(errors.max()), FORMATS[value.dtype]
