"""The input that a finding names is one of the shown expression, and breaks it."""

from __future__ import annotations

import re

import pytest

from mllint_nan.findings import Confidence
from mllint_nan.linter import check_text
from mllint_nan.rulebook.load import load_rules
from mllint_nan.rulebook.rule import Rule
from mllint_nan.settings import Settings

_EVERYTHING = Settings(min_confidence=Confidence.POSSIBLE)
_FUNCTION = """
import torch


def broken({parameters}):
    {body}
"""
_PROGRAMS = {
    "NAN302 x = [0, 0]": ("x", "return x / x.abs().sum(-1, keepdim=True)"),
    "NAN302 z = [0, 0]": ("z", "p = z**2; return p / p.sum()"),
    "NAN302 mask = [0, 0]": (
        "x, mask",
        "e = torch.exp(x - x.max()) * mask; return e / e.sum(-1, keepdim=True)",
    ),
    "NAN302 scores = [-1, -1]": (
        "scores",
        "weights = torch.relu(scores); return weights / weights.sum()",
    ),
    "NAN302 weights = [0, 0]": (
        "x",
        "weights = x.clamp(min=0); return weights / weights.sum()",
    ),
    "NAN203 c = 1": ("c", "return torch.sqrt(1 - c**2)"),
    "NAN203 x = [0, 0]": ("x", "return torch.sqrt((x**2).sum())"),
    "NAN203 x**3 = 0": ("x", "return torch.sqrt(x**3)"),
    "NAN201 x + 1 = 0": ("x", "return torch.log(x + 1)"),
    "NAN301 (labels > 0) = [0, 0]": (
        "x, labels",
        "return (x * (labels > 0)).sum() / (labels > 0).sum()",
    ),
    "NAN309 a - 2 = 0": ("x, a", "return x / (a - 2)"),
    "NAN102 x = -1000": ("x", "return torch.log(torch.sigmoid(x))"),
    "NAN102 x = 1000": ("x", "return torch.log(1 - torch.sigmoid(x))"),
    "NAN101 logits = [0, 1000]": ("logits", "return torch.log(torch.softmax(logits, dim=-1))"),
}
"""By code and what is named: the parameters and the body of a function."""


def _named(parameters: str, body: str, code: str) -> set[str | None]:
    source = _FUNCTION.format(parameters=parameters, body=body)
    found = check_text(source, "losses.py", _EVERYTHING)
    return {one.witness for one in found if one.code == code}


@pytest.mark.parametrize("said", _PROGRAMS)
def test_a_finding_names_an_input_of_its_own_expression(said: str) -> None:
    code, _, named = said.partition(" ")
    assert _named(*_PROGRAMS[said], code) == {named}


def _names_a_parameter(said: str) -> bool:
    """And nothing that is computed on the way."""
    name = said.partition(" ")[2].rpartition(" = ")[0]
    return name in _PROGRAMS[said][0].split(", ")


@pytest.mark.slow
@pytest.mark.parametrize("said", list(filter(_names_a_parameter, _PROGRAMS)))
def test_the_named_input_breaks_the_code(said: str) -> None:
    torch = pytest.importorskip("torch")
    code, _, named = said.partition(" ")
    name, _, value = named.rpartition(" = ")
    parameters, body = _PROGRAMS[said]
    bad = torch.tensor(eval(value), dtype=torch.float32, requires_grad=True)
    given = {one: torch.ones_like(bad).requires_grad_() for one in parameters.split(", ")}
    given[name] = bad
    scope: dict[str, object] = {}
    exec(_FUNCTION.format(parameters=parameters, body=body), scope)
    result = scope["broken"](**given)  # type: ignore[operator]
    result.sum().backward()
    is_finite = torch.isfinite(result).all() and torch.isfinite(bad.grad).all()
    assert not is_finite, code


@pytest.mark.parametrize("rule", load_rules(), ids=lambda rule: rule.code)
def test_what_a_witness_names_is_bound_by_what_it_is_said_of(rule: Rule) -> None:
    for case in (*rule.cases, *rule.audits):
        for pattern in case.patterns:
            assert _variables(case.witness) <= pattern.variables(), pattern.text
    for witness in rule.witnesses:
        for pattern in witness.match:
            assert _variables(witness.text) <= pattern.variables(), pattern.text


def test_what_is_safe_names_nothing() -> None:
    assert _named("x", "return torch.log(torch.relu(x))", "NAN201") == {"torch.relu(x) = 0"}
    assert _named("x", "return torch.log(torch.relu(x) + 1)", "NAN201") == set()


def test_what_no_input_changes_is_not_named_as_one() -> None:
    loss = "torch.nn.functional.binary_cross_entropy(torch.sigmoid(model(x)), {target})"
    for target, named in (
        ("torch.zeros_like(x)", "model(x) = [200, -200]"),
        ("y", "model(x) = [200, -200], y = [0, 1]"),
        ("y.float()", "model(x) = [200, -200], y = [0, 1]"),
        ("labels.float()", "model(x) = [200, -200], labels = [0, 1]"),
    ):
        body = f"return {loss.format(target=target)}"
        assert _named("model, x, y, labels", body, "NAN601") == {named}


def test_a_long_expression_is_cut() -> None:
    operand = "torch.relu(" + " + ".join(["scores"] * 12) + ")"
    (named,) = _named("scores", f"return torch.log({operand})", "NAN201")
    assert named == "torch.relu(scores + scores + scores + s… = 0"


def _variables(text: str) -> set[str]:
    return set(re.findall(r"\{(\w+)\}", text))
