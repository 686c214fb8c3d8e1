"""The verifier of users refutes rewrites with a planted fault."""

from __future__ import annotations

from collections import Counter
from collections.abc import Iterator

import pytest

from mllint_nan.findings import Verified
from mllint_nan.verify.verifier import Verifier
from tests.verifier.mutants import FAULTS, mutants

LEAST = 0.95
"""Of those that are no equal function, what part is refuted."""


@pytest.fixture(scope="module")
def verifier() -> Iterator[Verifier]:
    with Verifier() as running:
        yield running


def test_planted_faults_are_refuted(verifier: Verifier) -> None:
    """One of each kind in each rewrite; `tests.gpu_report` tries them all."""
    tried: Counter[tuple[str, str]] = Counter()
    refuted, survivors = 0, []
    for mutant in mutants():
        place = (str(mutant.sample), mutant.fault)
        if tried[place]:
            continue
        tried[place] += 1
        proof = mutant.proof(verifier)
        if proof.fix is Verified.REFUTED:
            refuted += 1
        elif not mutant.is_equivalent:
            survivors.append(f"{mutant}: {mutant.cut.after}: {proof.summary}")
    assert {fault for _, fault in tried} == set(FAULTS)
    assert refuted >= LEAST * (refuted + len(survivors)), "\n".join(survivors)


def test_second_axis_is_no_last_axis(verifier: Verifier) -> None:
    """In a matrix both are the same; among these are rewrites that no tensor of three axes fits."""
    planted = [
        mutant for mutant in mutants("logsumexp-by-hand") if mutant.fault.startswith("second axis")
    ]
    assert len(planted) > 2
    assert {mutant.proof(verifier).fix for mutant in planted} == {Verified.REFUTED}
