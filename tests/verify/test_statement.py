"""A fix is judged by what its statement writes too, whatever the expression comes to."""

from __future__ import annotations

from collections.abc import Callable
from pathlib import Path

import pytest

from mllint_nan.findings import Applicability, Edit, Hazard, Position, Proof, Span, Verified
from mllint_nan.linter import Linted, lint_text
from mllint_nan.settings import Settings
from mllint_nan.verify.statement import Writes, writes
from mllint_nan.verify.variables import Uncuttable, Variable
from mllint_nan.verify.verifier import Verifier
from tests.verify.test_session import request_of

pytestmark = pytest.mark.slow

HEADERS = {"torch": "import torch", "numpy": "import numpy as np", "jax": "import jax.numpy as jnp"}
NOWHERE = Position(1, 1)
WRONG_RULE = '''\
code = "NAN801"
name = "root-in-place"
summary = "the gradient of a root is infinite at 0"
hazard = "gradient"
frameworks = ["torch"]
match = "sqrt(x)"
message = "the gradient of a root is infinite at 0"
overrides = ["NAN203"]

[[fix]]
replace = "x"
rewrite = "x + epsilon"
applicability = "safe"

[parameters]
epsilon = 1e-12

[[witness]]
text = "x = 0"
given = { x = [0.0, 1.0] }

[docs]
why = "The derivative of a root is infinite at 0."
example = """
import torch


def f(x):
    return torch.sqrt(x)
"""
instead = """
import torch


def f(x):
    return torch.sqrt(x + 1e-12)
"""
fix_safety = "To be refuted where it writes into a temporary result."
references = []
'''


def written(
    lines: str, change: tuple[str, str], match: str, framework: str = "torch"
) -> Writes | None:
    """What the statements of a function write before and after one edit."""
    body = "".join(f"    {line}\n" for line in lines.split("; "))
    text = f"{HEADERS[framework]}\n\n\ndef f(d, x, y, s):\n{body}"
    old, new = change
    place, start = text.index(old), text.index(match)
    edit = Edit(Span(place, place + len(old)), new, NOWHERE, NOWHERE)
    known = {"mask": Variable("mask", 0.0, 1.0, is_boolean=True)}
    return writes(
        text,
        [edit],
        Span(start, start + len(match)),
        framework,
        "float32",
        lambda name: known.get(name, Variable(name, -1e30, 1e30)),
    )


def judged(verifier: Verifier, found: Writes | None) -> Proof:
    assert found is not None
    return verifier.proof_of_writes(found, Hazard.GRADIENT, is_safe=True)


LOST = [
    ("torch", "d.sqrt_(); return d", ("d.sqrt_", "(d + 1e-12).sqrt_"), "d.sqrt_()"),
    ("torch", "e = d.sqrt_(); return e", ("d.sqrt_", "(d + 1e-12).sqrt_"), "d.sqrt_()"),
    ("torch", "v = x[0]; v.sqrt_()", ("v.sqrt_", "(v + 1e-12).sqrt_"), "v.sqrt_()"),
    ("torch", "v = x[0]; v.sqrt_()", ("x[0]", "x[0] + 1e-12"), "v.sqrt_()"),
    ("torch", "d.addcmul_(x, y).sqrt_()", ("d.add", "(d + 1e-12).add"), "d.addcmul_(x, y).sqrt_()"),
    ("torch", "torch.log(x, out=d)", ("x, out=d", "x.clamp(min=1e-8)"), "torch.log(x, out=d)"),
    ("torch", "x.div_(s)", ("x.div_(s)", "x / s.clamp(min=1e-8)"), "x.div_(s)"),
    ("torch", "x[mask].sqrt_(); x[mask] /= s", ("x[mask] /=", "y[mask] /="), "x[mask] /= s"),
    ("torch", "torch.sqrt(d); return d", ("torch.sqrt(d)", "d.clamp_(min=1.0)"), "torch.sqrt(d)"),
    ("numpy", "np.log(x, out=d)", ("x, out=d", "x + 1e-12"), "np.log(x, out=d)"),
    ("numpy", "x /= s; return x", ("x /= s", "y = x / s"), "x /= s"),
]


@pytest.mark.parametrize(("framework", "lines", "change", "match"), LOST)
def test_fix_that_writes_elsewhere_is_refuted(
    verifier: Verifier,
    printed: Callable[[str], str],
    framework: str,
    lines: str,
    change: tuple[str, str],
    match: str,
) -> None:
    proof = judged(verifier, written(lines, change, match, framework))
    assert proof.fix is Verified.REFUTED, proof.summary
    assert proof.counterexample is not None
    assert printed(proof.counterexample).count("\n") >= 2


KEPT = [
    ("torch", "d.sqrt_(); return d", ("d.sqrt_", "d.add_(1e-12).sqrt_"), "d.sqrt_()"),
    ("torch", "v = x[0]; v.sqrt_()", ("v.sqrt_", "v.add_(1e-12).sqrt_"), "v.sqrt_()"),
    ("torch", "e = d * d; e.sqrt_()", ("d * d", "d * d + 1e-12"), "e.sqrt_()"),
    ("numpy", "np.sqrt(x, out=d)", ("x, out", "x + 1e-12, out"), "np.sqrt(x, out=d)"),
    ("numpy", "x[0] /= s[0] * s[0]", ("s[0] * s[0]", "(s[0] ** 2)"), "x[0] /= s[0] * s[0]"),
]


@pytest.mark.parametrize(("framework", "lines", "change", "match"), KEPT)
def test_fix_that_writes_the_same_is_proved(
    verifier: Verifier, framework: str, lines: str, change: tuple[str, str], match: str
) -> None:
    proof = judged(verifier, written(lines, change, match, framework))
    assert proof.fix is Verified.PROVED, proof.summary


def test_statement_that_writes_nothing_is_left_to_its_expression() -> None:
    change = ("torch.sqrt(d)", "torch.sqrt(d + 1e-12)")
    assert written("e = torch.sqrt(d); return e", change, "torch.sqrt(d)") is None
    jax = ("jnp.sqrt(d)", "jnp.sqrt(d + 1e-12)")
    assert written("x /= jnp.sqrt(d)", jax, "jnp.sqrt(d)", "jax") is None


@pytest.mark.parametrize(
    "lines",
    ["own(d.sqrt_())", "d[own(x)].sqrt_().mul_(own(d))", "y, d = d.sqrt_(), x", "d.sqrt_().own_()"],
)
def test_what_cannot_be_executed_is_not_proved(lines: str) -> None:
    """Nothing of the program is called: neither its functions nor what no table lists."""
    found = None
    with pytest.raises(Uncuttable):
        found = written(lines, (".sqrt_()", ".add_(1e-12).sqrt_()"), "d")
    assert found is None


def test_rewrite_of_a_receiver_is_applied_in_place_alone(
    tmp_path: Path, verifier: Verifier
) -> None:
    """An own rule whose expression is proved, in a statement that writes."""
    rules = tmp_path / "rules"
    rules.mkdir()
    (rules / "root-in-place.toml").write_text(WRONG_RULE)
    settings = Settings(rules=(str(rules),), verifier=verifier)
    text = "import torch\n\n\ndef f(d):\n    d.sqrt_()\n    return d\n"
    outcome = lint_text(text, "a.py", settings)
    assert isinstance(outcome, Linted)
    for finding in outcome.findings:
        if finding.fix is not None and finding.fix.applicability is not Applicability.DISPLAY_ONLY:
            assert [edit.content for edit in finding.fix.edits] == ["d.add_(1e-12)"]
    plain = lint_text(text.replace("sqrt_", "sqrt"), "a.py", settings)
    assert isinstance(plain, Linted)
    (finding,) = (each for each in plain.findings if each.code == "NAN801")
    assert finding.proof is not None and finding.proof.fix is Verified.PROVED


@pytest.mark.parametrize("framework", ["torch", "tensorflow", "jax", "numpy"])
def test_what_was_compiled_for_a_function_serves_no_other(
    verifier: Verifier, framework: str
) -> None:
    """The same call, in two tasks of one process that define what is called differently."""
    for factor in (2, 3):
        defined = f"def called(x):\n    return x * {factor}\n"
        asked = {"imports": [defined], "after": "x * 2", "dtype": "float32"}
        answer = verifier._executed({**request_of("called(x)"), **asked}, framework)
        assert (answer["counterexample"] is not None) is (factor == 3)
