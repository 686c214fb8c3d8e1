"""What is cut out of a program, and what of it becomes an input."""

from __future__ import annotations

import re
from pathlib import Path

import pytest

from mllint_nan.findings import Confidence, Finding, Verified
from mllint_nan.linter import Linted, lint_text
from mllint_nan.settings import Settings
from mllint_nan.verify.verifier import Verifier
from tests.verify.floored_quotients import folder_with_rule

pytestmark = pytest.mark.slow

CHAIN = "x"
for _step in range(40):
    CHAIN = f"torch.tanh({CHAIN} * y + {_step}.5)"
del _step
SPELLED = [
    ("NAN303", "x / x.norm(p='fro')"),
    ("NAN303", "x / torch.norm(x, p='fro', dim=-1, keepdim=True)"),
    ("NAN303", "x / torch.linalg.norm(x, ord='fro')"),
    ("NAN303", "x / x.norm(dim=-1)[..., None]"),
    ("NAN305", "x / x.abs().max(dim=-1, keepdim=True).values"),
    ("NAN305", "x / torch.max(x.abs(), 1, keepdim=True)[0]"),
    ("NAN401", "torch.where(x > 0, torch.log(x), torch.tensor(0.0, device=x.device))"),
    ("NAN401", "torch.where(x > 0, x.log(), torch.tensor(0.0, device=x.device, dtype=x.dtype))"),
    ("NAN401", "torch.where(x > 0, torch.log(x), torch.zeros(1, device=x.device))"),
]


def found(verifier: Verifier, expression: str, code: str, rules: tuple[str, ...] = ()) -> Finding:
    text = f"import torch\n\n\ndef f(x, y):\n    return {expression}\n"
    settings = Settings(verifier=verifier, min_confidence=Confidence.POSSIBLE, rules=rules)
    outcome = lint_text(text, "a.py", settings)
    assert isinstance(outcome, Linted)
    (finding,) = (each for each in outcome.findings if each.code == code)
    return finding


@pytest.mark.parametrize(("code", "expression"), SPELLED)
def test_spelling_is_executed(verifier: Verifier, code: str, expression: str) -> None:
    proof = found(verifier, expression, code).proof
    assert proof is not None
    assert proof.fix is Verified.PROVED, proof.summary
    assert proof.is_confirmed


def test_long_chain_is_cut_at_a_variable(verifier: Verifier) -> None:
    """Of eighty operations and more below a root the last ones are executed."""
    proof = found(verifier, f"torch.sqrt(({CHAIN}).pow(2).sum(-1))", "NAN203").proof
    assert proof is not None
    assert proof.fix is Verified.PROVED, proof.summary
    assert proof.inputs >= 20


def test_difference_at_what_a_chain_computes_refutes_nothing(
    verifier: Verifier, tmp_path: Path
) -> None:
    """Of a sum whose sign only the program knows it is said where the fix may be wrong."""
    rules = (folder_with_rule(tmp_path),)
    proof = found(verifier, f"x / ({CHAIN} * y).sum()", "NAN801", rules).proof
    assert proof is not None
    assert proof.fix is not Verified.PROVED
    assert proof.fix is not Verified.REFUTED
    assert "if that can occur" in proof.summary


COSINES = [
    "torch.acos(F.linear(F.normalize(x), F.normalize(y)))",
    "torch.acos(F.normalize(x, dim=-1) @ F.normalize(y, dim=-1).t())",
]


@pytest.mark.parametrize("expression", COSINES)
def test_cosine_is_drawn_from_its_own_range(verifier: Verifier, expression: str) -> None:
    summary = _proof_of(verifier, expression)
    place = re.search(r"confirmed at \w+ = (-?[\d.]+):", summary)
    assert place is not None, summary
    assert 1 < abs(float(place[1])) < 1.000001


def _proof_of(verifier: Verifier, expression: str) -> str:
    head = "import torch\nimport torch.nn.functional as F\n"
    text = f"{head}\n\ndef f(x, y):\n    return {expression}\n"
    settings = Settings(verifier=verifier, min_confidence=Confidence.POSSIBLE)
    outcome = lint_text(text, "a.py", settings)
    assert isinstance(outcome, Linted)
    (finding,) = (each for each in outcome.findings if each.code == "NAN208")
    assert finding.proof is not None
    return finding.proof.summary
