"""Which of two rules speaks of an operation that both match."""

from __future__ import annotations

from pathlib import Path

import pytest

from mllint_nan.findings import Confidence
from mllint_nan.linter import check_text
from mllint_nan.settings import Settings

_OWN = """\
code = "{code}"
name = "{name}"
summary = "an own rule"
hazard = "value"
frameworks = ["torch"]
match = "{match}"
{more}
message = "an own finding"
witness = [{{ text = "x = 0", given = {{ x = [0.0] }} }}]
docs = {{ why = "w", example = "e", instead = "i", fix_safety = "f", references = [] }}
"""
_COSINE = "import torch\n\n\ndef f(x):\n    return torch.cos(x.abs().sum())\n"


def test_rule_that_overrides_another_speaks_where_both_are_as_sure(tmp_path: Path) -> None:
    _write(tmp_path, "NAN801", "one", "cos(y := sum(x))", 'overrides = ["NAN802"]')
    _write(tmp_path, "NAN802", "two", "cos(y := sum(abs(x)))")
    assert _codes(tmp_path) == ["NAN801"]


def test_surer_rule_speaks_whatever_the_other_one_overrides(tmp_path: Path) -> None:
    unsure = """overrides = ["NAN802"]\nwhen = ['lies_in(y, "[0, 1]")']"""
    _write(tmp_path, "NAN801", "one", "cos(y := sum(x))", unsure)
    _write(tmp_path, "NAN802", "two", "cos(y)")
    assert _codes(tmp_path) == ["NAN802"]


@pytest.mark.parametrize("codes", [("NAN801", "NAN802"), ("NAN802", "NAN801")])
def test_larger_match_speaks_where_no_order_is_stated(
    tmp_path: Path, codes: tuple[str, str]
) -> None:
    _write(tmp_path, codes[0], "one", "cos(sum(abs(x)))")
    _write(tmp_path, codes[1], "two", "cos(sum(x))")
    assert _codes(tmp_path) == [codes[0]]


def test_lower_code_speaks_where_the_matches_are_as_large(tmp_path: Path) -> None:
    _write(tmp_path, "NAN802", "one", "cos(sum(x))")
    _write(tmp_path, "NAN801", "two", "cos(sum(y))")
    assert _codes(tmp_path) == ["NAN801"]


@pytest.mark.parametrize(
    ("expression", "code"),
    [
        ("torch.exp(h) / torch.exp(h).sum(-1, keepdim=True)", "NAN103"),
        ("2 * torch.exp(h) / (2 * torch.exp(h)).sum(-1, keepdim=True)", "NAN103"),
        ("torch.log(torch.softmax(h, -1)) + 1e-8", "NAN101"),
        ("torch.log(torch.sigmoid(h)) + 1e-8", "NAN102"),
        ("torch.log(torch.relu(h)) + 1e-8", "NAN405"),
    ],
)
def test_flaw_of_one_operation_is_told_once(expression: str, code: str) -> None:
    text = f"""\
import torch


class Model(torch.nn.Module):
    def __init__(self):
        super().__init__()
        self.layer = torch.nn.Linear(3, 3)

    def forward(self, x):
        h = self.layer(x)
        return {expression}
"""
    assert [one.code for one in check_text(text, "a.py", Settings())] == [code]
    other = text.replace("return", "y = torch.exp(self.layer(x))\n        return y,")
    assert sorted(one.code for one in check_text(other, "a.py", Settings())) == [code, "NAN504"]


def test_rule_that_is_not_selected_speaks_for_no_other(tmp_path: Path) -> None:
    _write(tmp_path, "NAN801", "one", "cos(y := sum(x))", 'overrides = ["NAN802"]')
    _write(tmp_path, "NAN802", "two", "cos(sum(abs(x)))")
    assert _codes(tmp_path, select=("NAN802",)) == ["NAN802"]


def test_rule_that_is_ignored_still_speaks_for_others(tmp_path: Path) -> None:
    _write(tmp_path, "NAN801", "one", "cos(y := sum(x))", 'overrides = ["NAN802"]')
    _write(tmp_path, "NAN802", "two", "cos(sum(abs(x)))")
    assert _codes(tmp_path, ignore=("NAN801",)) == []


def test_rule_of_the_tool_that_is_not_selected_speaks_for_no_other() -> None:
    settings = Settings(select=("NAN201",), min_confidence=Confidence.POSSIBLE)
    text = "import torch\n\n\ndef f(x):\n    return torch.log(torch.softmax(x, dim=-1))\n"
    assert [finding.code for finding in check_text(text, "a.py", settings)] == ["NAN201"]


def _write(folder: Path, code: str, name: str, match: str, more: str = "") -> None:
    text = _OWN.format(code=code, name=name, match=match, more=more)
    (folder / f"{name}.toml").write_text(text)


def _codes(
    rules: Path, select: tuple[str, ...] = ("NAN",), ignore: tuple[str, ...] = ()
) -> list[str]:
    settings = Settings(select, ignore, rules=(str(rules),), min_confidence=Confidence.POSSIBLE)
    return [finding.code for finding in check_text(_COSINE, "a.py", settings)]
