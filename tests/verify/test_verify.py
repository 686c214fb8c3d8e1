from __future__ import annotations

import importlib.util
import json
import os
import subprocess
import sys
import venv
from collections.abc import Callable, Mapping
from pathlib import Path
from typing import Any

import pytest

from mllint_nan.cli import CLEAN, ERROR, FINDINGS, main
from mllint_nan.findings import (
    Applicability,
    Confidence,
    Finding,
    Hazard,
    Proof,
    Verified,
)
from mllint_nan.ir.canonical import Builder
from mllint_nan.ir.ops import operation
from mllint_nan.ir.term import Term
from mllint_nan.linter import Linted, lint_text
from mllint_nan.settings import Settings
from mllint_nan.verify.cut import Cut
from mllint_nan.verify.session import Limits
from mllint_nan.verify.variables import Variable
from mllint_nan.verify.verifier import Verifier
from tests.verify.floored_quotients import folder_with_rule

pytestmark = pytest.mark.slow

ROOT = Path(__file__).parent.parent.parent
IMPORTS = {
    "torch": "import torch",
    "tensorflow": "import tensorflow as tf",
    "keras": "from keras import ops",
    "jax": "import jax\nimport jax.numpy as jnp",
    "numpy": "import numpy as np",
    "math": "import math",
}
FLAWS = [
    ("torch", "NAN101", "torch.log(torch.softmax(x, dim=-1))"),
    ("tensorflow", "NAN101", "tf.math.log(tf.nn.softmax(x, axis=-1))"),
    ("keras", "NAN101", "ops.log(ops.softmax(x, axis=-1))"),
    ("jax", "NAN101", "jnp.log(jax.nn.softmax(x, axis=-1))"),
    ("torch", "NAN102", "torch.log(torch.sigmoid(x))"),
    ("tensorflow", "NAN102", "tf.math.log(tf.sigmoid(x))"),
    ("keras", "NAN102", "ops.log(ops.sigmoid(x))"),
    ("jax", "NAN102", "jnp.log(jax.nn.sigmoid(x))"),
    ("torch", "NAN103", "torch.exp(x) / torch.exp(x).sum(dim=-1, keepdim=True)"),
    ("tensorflow", "NAN103", "tf.exp(x) / tf.reduce_sum(tf.exp(x), axis=-1, keepdims=True)"),
    ("keras", "NAN103", "ops.exp(x) / ops.sum(ops.exp(x), axis=-1, keepdims=True)"),
    ("jax", "NAN103", "jnp.exp(x) / jnp.sum(jnp.exp(x), axis=-1, keepdims=True)"),
    ("numpy", "NAN103", "np.exp(x) / np.sum(np.exp(x), axis=-1, keepdims=True)"),
    ("math", "NAN105", "math.log(1 + math.exp(x))"),
    ("torch", "NAN203", "torch.sqrt(((x - y) ** 2).sum(dim=-1))"),
    ("tensorflow", "NAN203", "tf.sqrt(tf.reduce_sum(tf.square(x - y), axis=-1))"),
    ("jax", "NAN203", "jnp.sqrt(jnp.sum((x - y) ** 2, axis=-1))"),
    ("tensorflow", "NAN204", "tf.norm(x - y, axis=-1)"),
    ("jax", "NAN204", "jnp.linalg.norm(x - y, axis=-1)"),
    ("torch", "NAN301", "(x * (y != 0).float()).sum() / (y != 0).float().sum()"),
    (
        "tensorflow",
        "NAN301",
        "tf.reduce_sum(x * tf.cast(y != 0, x.dtype)) / tf.reduce_sum(tf.cast(y != 0, x.dtype))",
    ),
    ("jax", "NAN301", "jnp.sum(x * (y != 0)) / jnp.sum(y != 0)"),
    ("numpy", "NAN301", "(x * (y != 0)).sum() / (y != 0).sum()"),
    ("torch", "NAN401", "torch.where(x > 0, torch.log(x), 0.0)"),
    ("tensorflow", "NAN401", "tf.where(x > 0, tf.math.log(x), tf.zeros_like(x))"),
    ("jax", "NAN401", "jnp.where(x > 0, jnp.log(x), 0.0)"),
]
WRONG = '''\
code = "NAN801"
name = "log-of-relu"
summary = "`log(relu(x))` is -inf at 0"
hazard = "value"
frameworks = ["torch"]
match = "log(relu(x))"
message = "log of a relu is -inf at 0"
overrides = ["NAN201"]

[[fix]]
rewrite = "log1p(relu(x))"
applicability = "safe"

[[witness]]
text = "x = 0"
given = { x = [0.0, 1.0] }

[docs]
why = "A relu is 0 for half of all inputs."
example = """
import torch


def f(x):
    return torch.log(torch.relu(x))
"""
instead = """
import torch


def f(x):
    return torch.log1p(torch.relu(x))
"""
fix_safety = "It is wrong, to be refuted."
references = []
'''
MARKER = """\
import torch

open("marker", "w").close()


class Net(torch.nn.Module):
    def logits(self, x):
        open("marker", "w").close()
        return x

    def forward(self, x):
        return torch.log(torch.softmax(self.logits(x), dim=-1))
"""


def program(framework: str, expression: str) -> str:
    return f"{IMPORTS[framework]}\n\n\ndef f(x, y):\n    return {expression}\n"


def linted(text: str, settings: Settings) -> tuple[Finding, ...]:
    outcome = lint_text(text, "a.py", settings)
    assert isinstance(outcome, Linted)
    return outcome.findings


def proof_of(text: str, verifier: Verifier, code: str, rules: tuple[str, ...] = ()) -> Proof:
    (finding,) = (
        each for each in linted(text, Settings(verifier=verifier, rules=rules)) if each.code == code
    )
    assert finding.proof is not None
    return finding.proof


@pytest.mark.parametrize(
    ("framework", "code", "expression"), FLAWS, ids=[f"{code}-{name}" for name, code, _ in FLAWS]
)
def test_finding_is_confirmed_and_its_fix_proved(
    verifier: Verifier, framework: str, code: str, expression: str
) -> None:
    proof = proof_of(program(framework, expression), verifier, code)
    assert (proof.fix, proof.is_confirmed) == (Verified.PROVED, True), proof.summary
    assert proof.inputs >= 20
    assert proof.deviation < 64 or framework in ("numpy", "math")


SHOWN = [
    *(("torch", "NAN301"), ("tensorflow", "NAN301"), ("jax", "NAN301"), ("numpy", "NAN301")),
    *(("torch", "NAN203"), ("tensorflow", "NAN204"), ("jax", "NAN204"), ("keras", "NAN103")),
]


@pytest.mark.parametrize(("framework", "code"), SHOWN)
def test_witness_is_a_program_that_shows_the_flaw(
    verifier: Verifier, printed: Callable[[str], str], framework: str, code: str
) -> None:
    """What is printed is run: the value is NaN, or the value is finite and its gradient NaN."""
    expression = next(each for name, other, each in FLAWS if (name, other) == (framework, code))
    proof = proof_of(program(framework, expression), verifier, code)
    assert proof.witness is not None
    value, _, gradient = printed(proof.witness).partition("\n")
    assert "nan" in (gradient if code in ("NAN203", "NAN204") else value)


def test_witness_of_math_raises_as_its_finding_says(verifier: Verifier) -> None:
    proof = proof_of(program("math", "math.log(1 + math.exp(x))"), verifier, "NAN105")
    assert proof.witness is not None
    done = subprocess.run(
        [sys.executable, "-c", proof.witness], capture_output=True, text=True, check=False
    )
    assert "OverflowError" in done.stderr


def test_counterexample_is_a_program_that_shows_both_versions(
    verifier: Verifier, printed: Callable[[str], str], tmp_path: Path
) -> None:
    """Of a floor that a negative sum never reaches."""
    text = program("torch", "x / x.sum()").replace("f(x, y)", "f(weights, y)")
    text = text.replace("x / x.sum()", "weights / weights.sum()")
    rules = (folder_with_rule(tmp_path),)
    settings = Settings(verifier=verifier, min_confidence=Confidence.POSSIBLE, rules=rules)
    (finding,) = (each for each in linted(text, settings) if each.code == "NAN801")
    assert finding.proof is not None and finding.proof.counterexample is not None
    assert finding.proof.fix is Verified.REFUTED
    lines = [line for line in printed(finding.proof.counterexample).splitlines() if "grad" in line]
    assert len(lines) == 2


def test_fix_that_is_wrong_where_an_input_is_broadcast_is_refuted(
    verifier: Verifier, printed: Callable[[str], str]
) -> None:
    """sum(x + y) is sum(x) + sum(y) only as long as both are of one shape."""
    builder = Builder()
    x, y = builder.variable("x"), builder.variable("y")
    last = {"axis": builder.constant(-1)}

    def total(term: Term) -> Term:
        return Term(operation("sum"), (term,), builder.fresh(), None, last)

    parts = Cut(
        *("torch", "float32", total(builder.apply("add", x, y))),
        *(builder.apply("add", total(x), total(y)), None, 0.0),
        (Variable("x", -1e30, 1e30), Variable("y", -1e30, 1e30)),
        (),
    )
    proof = verifier.proof_of(parts, Hazard.VALUE, is_safe=True)
    assert proof.fix is Verified.REFUTED, proof.summary
    assert proof.counterexample is not None
    assert len(printed(proof.counterexample).splitlines()) >= 2


def test_search_follows_the_gradient_to_a_root_that_no_grid_has(verifier: Verifier) -> None:
    builder = Builder()
    x = builder.variable("x")
    distance = builder.apply(
        "abs",
        builder.apply("sub", builder.apply("mul", x, builder.constant(2.0)), builder.constant(7.4)),
    )
    after = builder.apply("log", builder.apply("add", distance, builder.constant(1e-7)))
    variable = Variable("x", -1e30, 1e30)
    parts = Cut(
        *("torch", "float32", builder.apply("log", distance), after, None, 0.0),
        (variable,),
        (),
    )
    proof = verifier.proof_of(parts, Hazard.VALUE, is_safe=False)
    assert proof.summary.startswith("confirmed at x = 3.7: value -inf"), proof.summary


def test_wrong_fix_is_refuted_and_not_applied(
    tmp_path: Path, monkeypatch: pytest.MonkeyPatch, capfd: pytest.CaptureFixture[str]
) -> None:
    monkeypatch.chdir(tmp_path)
    Path("rules").mkdir()
    Path("rules/log-of-relu.toml").write_text(WRONG)
    Path("mllint-nan.toml").write_text('rules = ["rules/"]\n')
    text = program("torch", "torch.log(torch.relu(x))")
    Path("a.py").write_text(text)
    assert main(["--fix", "--verify", "--output-format", "full", "a.py"]) == FINDINGS
    assert Path("a.py").read_text() == text
    out, _ = capfd.readouterr()
    assert "the fix is refuted at x = 1: the value 0 becomes 0.693147" in out
    assert "value = torch.log1p(torch.relu(x))" in out
    assert main(["--diff", "--verify", "a.py"]) == CLEAN
    out, err = capfd.readouterr()
    assert out == ""
    assert "the fix is refuted at x = 1" in err
    assert main(["--fix", "a.py"]) == CLEAN  # unverified, the rule is believed


def test_fix_that_cannot_be_executed_is_not_applied(verifier: Verifier) -> None:
    text = program("torch", "torch.where(x > 0, torch.log(x).reshape(-1), y)")
    (finding,) = linted(text, Settings(verifier=verifier))
    assert finding.proof is not None and finding.fix is not None
    assert finding.proof.fix is Verified.NOT_EXECUTED
    assert "reshape depends on the shape of its operand" in finding.proof.summary
    assert finding.fix.applicability is Applicability.DISPLAY_ONLY


def test_proved_fix_is_applied_and_nothing_of_the_program_runs(
    tmp_path: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    monkeypatch.chdir(tmp_path)
    Path("a.py").write_text(MARKER)
    for module in ("torch", "sitecustomize", "random"):
        Path(f"{module}.py").write_text('open("marker", "w").close()\n')
    monkeypatch.setenv("PYTHONPATH", str(tmp_path))
    assert main(["--fix", "--verify", "a.py"]) == CLEAN
    assert "torch.log_softmax(self.logits(x), dim=-1)" in Path("a.py").read_text()
    assert not list(tmp_path.rglob("marker"))


def test_proof_is_part_of_json(
    tmp_path: Path, monkeypatch: pytest.MonkeyPatch, capsys: pytest.CaptureFixture[str]
) -> None:
    monkeypatch.chdir(tmp_path)
    Path("a.py").write_text(program("math", "math.log(1 + math.exp(x))"))
    assert main(["--verify", "--output-format", "json", "a.py"]) == FINDINGS
    (entry,) = json.loads(capsys.readouterr().out)
    assert (entry["proof"]["fix"], entry["proof"]["confirmed"]) == ("proved", True)
    assert main(["--output-format", "json", "a.py"]) == FINDINGS
    (entry,) = json.loads(capsys.readouterr().out)
    assert "proof" not in entry


def test_execution_beyond_its_time_is_stopped() -> None:
    text = program("math", "math.log(1 + math.exp(x))")
    with Verifier(Limits(wall=0.0)) as hurried:
        proof = proof_of(text, hurried, "NAN105")
    assert proof.fix is Verified.NOT_EXECUTED
    assert proof.summary.endswith("its execution took too much time or memory")


def test_sweep_ends_in_good_order_when_its_time_is_over() -> None:
    text = program("math", "math.log(1 + math.exp(x))")
    with Verifier(Limits(sweep=0.0)) as hurried:
        proof = proof_of(text, hurried, "NAN105")
    assert (proof.fix, proof.inputs) == (Verified.NOT_EXECUTED, 0)
    assert "not proved: its processor time ran out" in proof.summary


class Hurried(Verifier):
    """Says of each sweep that it was cut off after its last input."""

    def _executed(self, request: Mapping[str, Any], framework: str) -> dict[str, Any]:
        return {**super()._executed(request, framework), "stopped_after": 1000}


def test_nothing_is_proved_by_a_sweep_that_was_cut_off() -> None:
    """However many inputs agree."""
    text = program("math", "math.log(1 + math.exp(x))")
    with Hurried(trusts_findings=True) as hurried:
        proof = proof_of(text, hurried, "NAN105")
    assert proof.fix is Verified.NOT_EXECUTED
    assert proof.inputs >= 20
    assert proof.summary.endswith("its processor time ran out after 1000 executions")


def test_what_is_wrong_at_one_input_is_wrong_however_few_were_tried(tmp_path: Path) -> None:
    wrong = WRONG.replace("log(relu(x))", "log(exp(x))").replace("log1p(relu(x))", "abs(x)")
    (tmp_path / "log-of-relu.toml").write_text(wrong.replace('"torch"', '"math"'))
    text = program("math", "math.log(math.exp(x))")
    with Hurried(trusts_findings=True) as hurried:
        proof = proof_of(text, hurried, "NAN801", (str(tmp_path),))
    assert proof.fix is Verified.REFUTED


def test_missing_framework_is_said_in_one_line(tmp_path: Path) -> None:
    """In an environment that has what the linter needs, and no framework."""
    python = tmp_path / "bare" / ("Scripts" if os.name == "nt" else "bin") / "python"
    venv.create(tmp_path / "bare", with_pip=False)
    needed = tmp_path / "needed"
    needed.mkdir()
    for name in ("libcst", "yaml", "_yaml", "tomli", "pathspec", "typing_extensions"):
        found = importlib.util.find_spec(name)
        if found is not None and found.origin is not None:
            places = found.submodule_search_locations or [found.origin]
            (needed / Path(places[0]).name).symlink_to(places[0])
            for compiled in Path(places[0]).parent.glob("*__mypyc*"):
                if not (needed / compiled.name).exists():
                    (needed / compiled.name).symlink_to(compiled)
    before = program("torch", "torch.log(torch.softmax(x, dim=-1))")
    (tmp_path / "a.py").write_text(before)
    done = subprocess.run(
        [python, "-m", "mllint_nan", "--quiet", "--fix", "--verify", "a.py"],
        cwd=tmp_path,
        env={**os.environ, "PYTHONPATH": f"{ROOT}{os.pathsep}{needed}"},
        capture_output=True,
        text=True,
        check=False,
    )
    assert done.returncode == ERROR
    assert done.stdout == ""
    assert done.stderr == "a.py:1:1: --verify cannot execute torch: torch is not installed\n"
    assert (tmp_path / "a.py").read_text() == before


def test_fix_of_an_unconfirmed_finding_is_applied_only_where_that_is_asked_for(
    tmp_path: Path, monkeypatch: pytest.MonkeyPatch, capfd: pytest.CaptureFixture[str]
) -> None:
    """log1p of a relu is finite everywhere, and this is what it equals."""
    monkeypatch.chdir(tmp_path)
    Path("rules").mkdir()
    rule = WRONG.replace("log(relu(x))", "log1p(relu(x))").replace(
        'rewrite = "log1p(relu(x))"', 'rewrite = "log(1 + relu(x))"'
    )
    Path("rules/log-of-relu.toml").write_text(rule)
    Path("mllint-nan.toml").write_text('rules = ["rules/"]\n')
    text = program("torch", "torch.log1p(torch.relu(x))")
    Path("a.py").write_text(text)
    assert main(["--fix", "--verify", "--output-format=full", "a.py"]) == FINDINGS
    assert Path("a.py").read_text() == text
    out, _ = capfd.readouterr()
    assert "not confirmed" in out and "--verify=fixes would apply it" in out
    main(["--fix", "--verify=fixes", "a.py"])
    assert "torch.log(1 + torch.relu(x))" in Path("a.py").read_text()


def test_other_values_of_verify_are_wrong_usage(capsys: pytest.CaptureFixture[str]) -> None:
    assert main(["--verify=all", "a.py"]) == ERROR
    assert "invalid choice: 'all'" in capsys.readouterr().err
