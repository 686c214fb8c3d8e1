"""Functions of `operator` compute what the operators do."""

from __future__ import annotations

import pytest

from mllint_nan.findings import Confidence
from mllint_nan.linter import Linted, Settings, lint_text

IMPORTS = "import operator\nimport torch\nfrom operator import mul, truediv\n\n\n"
POSSIBLE = Settings(min_confidence=Confidence.POSSIBLE)


def _found(body: str, settings: Settings) -> list[str]:
    checked = lint_text(f"{IMPORTS}def f(x, mask):\n    return {body}\n", "a.py", settings)
    assert isinstance(checked, Linted)
    return [finding.code for finding in checked.findings]


@pytest.mark.parametrize(
    ("function", "written", "codes"),
    [
        ("truediv((x * mask).sum(), mask.sum())", "(x * mask).sum() / mask.sum()", ["NAN301"]),
        ("torch.log(mul(torch.relu(x), 2.0))", "torch.log(torch.relu(x) * 2.0)", ["NAN201"]),
        ("torch.log(operator.add(torch.relu(x), 1.0))", "torch.log(torch.relu(x) + 1.0)", []),
        ("torch.log(operator.neg(x.abs()))", "torch.log(-x.abs())", None),
        ("torch.log(operator.sub(x.abs(), -1.0))", "torch.log(x.abs() - -1.0)", []),
        ("torch.sqrt(operator.pow(x, 2))", "torch.sqrt(x ** 2)", None),
    ],
)
def test_function_is_the_operator(function: str, written: str, codes: list[str] | None) -> None:
    if codes is not None:
        assert _found(function, Settings()) == codes
    assert _found(function, POSSIBLE) == _found(written, POSSIBLE)


@pytest.mark.parametrize("call", ["truediv(x)", "operator.neg(x, mask)", "mul(*x)", "truediv()"])
def test_call_that_does_not_fit_is_unknown(call: str) -> None:
    assert _found(f"torch.log({call})", POSSIBLE) == ["NAN201"]
