"""Fixes of rules of one's own through `--verify`: the right ones are proved, no wrong one is."""

from __future__ import annotations

import json
from itertools import groupby
from pathlib import Path

import pytest

from mllint_nan.cli import main
from mllint_nan.findings import Verified
from mllint_nan.rulebook.load import load_rules
from mllint_nan.verify.verifier import Verifier
from tests.verifier.mutants import UNPLANTED
from tests.verify.equivalence import is_equivalent
from tests.verify.own_rewrites import OwnRewrite, proof_of, right, wrong
from tests.verify.planted_rules import PlantedRule, bases, planted

pytestmark = pytest.mark.slow

LEAST = 390
"""Of the wrong rewrites that are written in the table."""
OF_FIXES = 16
"""Every how many is executed as it is, in a program; `test_mutants` proves them all."""
OF_PLANTED = 29
"""Of the planted faults in PyTorch and NumPy, every how many is executed here, and some between."""
SURVIVORS = {
    "another number for one that the rule guesses": (
        "exp-overflow-1-torch, larger by a thousandth",
        "exp-overflow-1-torch, a number added",
        "log-at-zero-1-torch, larger by a thousandth",
        "log-at-zero-3-numpy, larger by a thousandth",
        "mask-constant-overflows-1-torch, larger by a thousandth",
        "mask-constant-overflows-2-torch, larger by a thousandth",
        "mask-constant-overflows-2-torch, a number added",
    ),
    "less than the rounding of half precision": (
        "epsilon-underflows-1-torch, larger by a thousandth",
        "epsilon-underflows-4-torch, larger by a thousandth",
        "epsilon-underflows-7-torch, larger by a thousandth",
    ),
    "the original in its own format, which absorbs the epsilon": (
        "epsilon-absorbed-1-torch, second operand dropped",
        "epsilon-absorbed-1-torch, added, not taken away",
    ),
    "another number where the original has none": ("epsilon-absorbed-4-torch, absolute operand",),
    "a factor that cancels but for the epsilon of the program": (
        "softmax-by-hand-9-torch, larger by a thousandth",
        "softmax-by-hand-9-torch, other sign",
        "softmax-by-hand-9-torch, gradient of an operand cut",
    ),
    "infinite of either sign, which no exact arithmetic of ours has as an input": (
        "zero-times-log-5-torch, operand of the other sign",
    ),
}
"""Planted faults that are called proved, and differ in exact arithmetic: why."""
HALVES = (
    "acos-at-edge-4-torch, number larger by a thousandth",
    "atanh-or-acosh-at-edge-1-torch, taken away, not added",
    "atanh-or-acosh-at-edge-2-torch, second operand dropped",
    "scale-underflow-1-torch, second operand dropped",
)
"""Planted faults that leave an end of the domain, or all of it, as it was."""
FOUND = (
    "scale-underflow-2-torch, taken away, not added",
    "softmax-by-hand-4-torch, operand larger by a thousandth",
    "gradient-cut-by-clip-3-torch, no value where it is small",
    "gradient-cut-by-clip-6-torch, no value where it is small",
    "log-of-cdf-6-torch, no value where it is small",
    "softmax-by-hand-11-torch, no value where it is small",
    "sqrt-at-zero-6-torch, no value where it is small",
    "atanh-or-acosh-at-edge-3-torch, gradient cut",
    "division-by-std-1-torch, taken away, not added",
    "division-by-norm-3-numpy, floor under an operand",
    "division-by-count-4-numpy, ceiling over an operand",
    "inverse-degree-2-numpy, ceiling over an operand",
    "log-one-minus-tanh-squared-3-numpy, ceiling over an operand",
    "softmax-by-hand-9-torch, operand larger by a thousandth",
    "softmax-by-hand-9-torch, no axis",
    "guard-too-late-1-torch, no value where it is small",
    "division-by-count-3-numpy, ceiling over an operand",
    "std-at-constant-1-tensorflow, ceiling over an operand",
)
"""Wrong in one thing: the sign of what underflowed, far out, a jump, a gradient, large counts.

Or where no format has digits, beside a root, or in rows of two magnitudes.
"""
GROUPS = {
    name: list(group) for name, group in groupby(wrong(), key=lambda candidates: candidates[0].name)
}


@pytest.mark.parametrize("rewrite", [*right()], ids=str)
def test_right_rewrite_is_proved(verifier: Verifier, rewrite: OwnRewrite, tmp_path: Path) -> None:
    proof = rewrite.proof(verifier, tmp_path / "rules")
    assert proof is not None
    assert proof.fix is Verified.PROVED, proof.summary


@pytest.mark.parametrize("group", GROUPS)
def test_no_wrong_rewrite_is_proved(verifier: Verifier, group: str, tmp_path: Path) -> None:
    """Each is executed in one framework, and refuted there."""
    survivors = []
    for number, candidates in enumerate(GROUPS[group]):
        for rewrite in candidates:
            proof = rewrite.proof(verifier, tmp_path / f"{number}-{rewrite.framework}")
            if proof is not None:
                break
        if proof is None or proof.fix is not Verified.REFUTED:
            survivors.append(f"{rewrite}: {'not written' if proof is None else proof.summary}")
    assert not survivors, "\n".join(survivors)


def test_there_are_many() -> None:
    assert sum(map(len, GROUPS.values())) >= LEAST


def test_every_rule_with_a_rewrite_has_a_program() -> None:
    planted_in = {base.rule for base in bases()}
    with_fixes = {rule.name for rule in load_rules() if rule.fixes}
    assert with_fixes - planted_in <= set(UNPLANTED)


def test_every_program_is_offered_its_fix_in_its_framework() -> None:
    """If not, `python -m tests.verify.planted_rules` writes the programs anew."""
    rules = {rule.name: rule for rule in load_rules()}
    stale = [
        str(base)
        for base in bases()
        if base.framework
        not in (rules[base.rule].fixes[base.place].frameworks or rules[base.rule].frameworks)
    ]
    assert not stale


@pytest.mark.parametrize(
    "base",
    [*bases()][::OF_FIXES],
    ids=lambda base: f"{base.rule}-{base.place + 1}-{base.framework}",
)
def test_fix_of_a_rule_is_proved(verifier: Verifier, base: PlantedRule, tmp_path: Path) -> None:
    """Through the whole of the linter: what refutes everything finds every fault."""
    proof = proof_of(base.text, base.program, verifier, tmp_path / "rules")
    assert proof is not None
    assert proof.fix is Verified.PROVED, proof.summary


def test_no_other_planted_fault_is_proved(verifier: Verifier, tmp_path: Path) -> None:
    """But what is the right rewrite or the original after all, in exact arithmetic."""
    survivors, executed = set[str](), 0
    faults = planted()
    right_ones = {(base.rule, base.place): base for base in bases()}
    for number, rule in enumerate([*faults[::OF_PLANTED], *faults[7 :: 10 * OF_PLANTED]]):
        if rule.framework not in ("torch", "numpy"):
            continue
        proof = proof_of(rule.text, rule.program, verifier, tmp_path / str(number))
        executed += proof is not None
        if proof is not None and proof.fix is Verified.PROVED:
            base = right_ones[rule.rule, rule.place]
            if not is_equivalent(rule, base, tmp_path / f"{number}-exact"):
                survivors.add(str(rule).partition(":")[0])
    assert executed >= 60
    assert survivors <= {name for names in SURVIVORS.values() for name in names}


@pytest.mark.parametrize("name", FOUND)
def test_planted_fault_is_found(verifier: Verifier, name: str, tmp_path: Path) -> None:
    rules = [rule for rule in planted() if str(rule).startswith(f"{name}:")]
    assert rules
    for number, rule in enumerate(rules):
        proof = proof_of(rule.text, rule.program, verifier, tmp_path / str(number))
        assert proof is None or proof.fix is not Verified.PROVED, proof.summary


@pytest.mark.parametrize("name", HALVES)
def test_half_a_repair_is_not_proved(verifier: Verifier, name: str, tmp_path: Path) -> None:
    """No finite result is wrong, and an end at which the original fails is left as it was."""
    rules = [rule for rule in planted() if str(rule).startswith(f"{name}:")]
    assert rules
    for number, rule in enumerate(rules):
        proof = proof_of(rule.text, rule.program, verifier, tmp_path / str(number))
        assert proof is not None
        assert proof.fix is not Verified.PROVED, proof.summary
        assert proof.counterexample is not None


def test_what_is_refuted_is_not_written(tmp_path: Path, capsys: pytest.CaptureFixture[str]) -> None:
    """The command itself, on a wrong rewrite and on the right one."""
    rewrites = [rewrite for rewrite in right() if rewrite.framework == "torch"][:1]
    rewrites += [next(each for (each, *_) in wrong() if each.framework == "torch")]
    for number, rewrite in enumerate(rewrites):
        folder = tmp_path / str(number)
        (folder / "rules").mkdir(parents=True)
        (folder / "rules" / "own.toml").write_text(rewrite.rule, encoding="utf-8")
        program = folder / "a.py"
        program.write_text(rewrite.text, encoding="utf-8")
        options = ["--no-cache", "--fix", "--verify=fixes", "--select=NAN801", "--isolated"]
        own = f"--config=rules={json.dumps([str(folder / 'rules')])}"
        main([*options, own, str(program)])
        capsys.readouterr()
        assert (program.read_text(encoding="utf-8") == rewrite.text) is (number == 1)
