"""Functions that call themselves: what follows arguments back to calls comes to an end.

No rule fails on a fixture whose functions all pass their own arguments on to themselves.
"""

from __future__ import annotations

import ast

import pytest

from mllint_nan.findings import Confidence
from mllint_nan.linter import Linted, Settings, analysis, lint_text
from tests.fixture_files import FIXTURES

PASSED = ("{}", "(1 - {})")
"""What a function passes on for each of its parameters."""
FILES = sorted(FIXTURES.glob("*/torch.py"))
assert FILES


def recursive(text: str, passed: str) -> str:
    """The same text, in which each function may begin anew."""
    tree = ast.parse(text)
    for node in ast.walk(tree):
        if not isinstance(node, (ast.Module, ast.ClassDef)):
            continue
        for function in node.body:
            if isinstance(function, ast.FunctionDef) and function.name != "__init__":
                call = _call_of(function, passed, is_method=isinstance(node, ast.ClassDef))
                function.body[:0] = ast.parse(f"if again():\n    return {call}").body
    return ast.unparse(ast.fix_missing_locations(tree))


def _call_of(function: ast.FunctionDef, passed: str, *, is_method: bool) -> str:
    names = [argument.arg for argument in function.args.args]
    callee = f"{names.pop(0)}.{function.name}" if is_method and names else function.name
    return f"{callee}({', '.join(passed.format(name) for name in names)})"


def failures(text: str) -> list[str]:
    with pytest.MonkeyPatch.context() as patch:
        # Where something is found the judgement without places, which is the same, is thrown away.
        patch.setattr(analysis, "without_findings", lambda *_: None)
        outcome = lint_text(text, "a.py", Settings(min_confidence=Confidence.POSSIBLE))
    assert isinstance(outcome, Linted), outcome
    return [failure.reason for failure in outcome.failures]


def test_logarithm_of_what_a_recursive_function_passes_itself() -> None:
    text = "import torch\ndef loss(p, n):\n    return loss(p, n - 1) - torch.log(1 - p)\n"
    assert failures(text) == []


@pytest.mark.slow
@pytest.mark.parametrize("passed", PASSED)
def test_no_rule_fails_on_a_recursive_fixture(passed: str) -> None:
    reasons = {file.parent.name: failures(recursive(file.read_text(), passed)) for file in FILES}
    assert {name: found for name, found in reasons.items() if found} == {}
