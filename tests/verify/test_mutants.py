"""The verifier of users refutes rewrites with a planted fault."""

from __future__ import annotations

import pytest

from mllint_nan.findings import Verified
from mllint_nan.rulebook.load import load_rules
from mllint_nan.verify.verifier import Verifier
from tests.verifier.mutants import (
    FAULTS,
    UNPLANTED,
    Mutant,
    elsewhere,
    mutants,
    proof_of,
    rewrites,
)

pytestmark = pytest.mark.slow

LEAST = 0.95
"""Of those that are no equal function, what part is refuted."""

ADMITTED = {
    "division-by-std-numpy-3-epsilon outside the root": "nothing differentiates the root in NumPy",
    "division-by-std-tensorflow-2-epsilon outside the root": "a value is claimed, and is finite",
    "division-by-std-keras-2-epsilon outside the root": "likewise",
    "exp-overflow-tensorflow-1-number doubled": "exp is 0 at -100 as at -200, in float32",
    "epsilon-underflows-keras-5-first operand dropped": "any number where the original has none",
}
"""Planted faults that are called proved, and differ in exact arithmetic: why that is right."""


def test_planted_faults_are_refuted(verifier: Verifier) -> None:
    """One of each kind in each rule; `tests.gpu_report` tries them all."""
    tried: dict[tuple[str, str], Mutant] = {}
    for mutant in mutants():
        tried.setdefault((mutant.sample.rule.name, mutant.fault), mutant)
    refuted, survivors = 0, []
    for mutant in tried.values():
        proof = mutant.proof(verifier)
        if proof.fix is Verified.REFUTED:
            refuted += 1
        elif not mutant.is_equivalent:
            survivors.append(f"{mutant}: {mutant.cut.after}: {proof.summary}")
    assert {fault for _, fault in tried} == set(FAULTS)
    assert refuted >= LEAST * (refuted + len(survivors)), "\n".join(survivors)


def test_planted_fault_of_each_rule_is_refuted_in_each_framework(verifier: Verifier) -> None:
    """Beside the framework that the test above takes, where the rule has a fix in others too."""
    tried = [*elsewhere()]
    survivors = {
        str(mutant)
        for mutant in tried
        if mutant.proof(verifier).fix is Verified.PROVED and not mutant.is_equivalent
    }
    assert survivors <= set(ADMITTED)
    places = {(mutant.sample.rule.name, mutant.sample.framework) for mutant in tried}
    assert len(places) == len(tried) > 100
    assert {framework for _, framework in places} >= {"tensorflow", "keras", "jax", "numpy"}


def test_every_rewrite_is_mutated_or_says_why_not() -> None:
    planted = {mutant.sample.rule.name for mutant in mutants()}
    assert not planted & set(UNPLANTED)
    assert planted | set(UNPLANTED) == {rule.name for rule in load_rules() if rule.fixes}


@pytest.mark.parametrize(
    "rule", [rule.name for rule in load_rules() if rule.fixes and rule.name not in UNPLANTED]
)
def test_rewrites_without_a_fault_are_proved(verifier: Verifier, rule: str) -> None:
    """What refutes everything finds every fault."""
    for sample in rewrites():
        if sample.rule.name == rule:
            proof = proof_of(sample, sample.cut, verifier)
            assert proof.fix is Verified.PROVED, f"{sample}: {proof.summary}"


def test_second_axis_is_no_last_axis(verifier: Verifier) -> None:
    """In a matrix both are the same; among these are rewrites that no tensor of three axes fits."""
    planted = [
        mutant for mutant in mutants("logsumexp-by-hand") if mutant.fault.startswith("second axis")
    ]
    assert len(planted) > 2
    assert {mutant.proof(verifier).fix for mutant in planted} == {Verified.REFUTED}
