"""A finding whose rule has fixes says why it has none."""

from __future__ import annotations

from textwrap import dedent

import pytest

from mllint_nan.findings import Applicability, Finding
from mllint_nan.linter import Linted, Settings, lint_text
from mllint_nan.reporting.text import full
from mllint_nan.result_json import json_of, result_of

HEAD = "import torch\nimport torch.nn.functional as F\n\n\n"


def linted(text: str) -> Linted:
    outcome = lint_text(HEAD + dedent(text), "a.py", Settings())
    assert isinstance(outcome, Linted)
    return outcome


def found(text: str) -> Finding:
    (finding,) = linted(text).findings
    return finding


WITHHELD = [
    (
        """\
        def f(x):
            with torch.no_grad():
                p = F.softmax(x, 1)
            return torch.log(p)
        """,
        "an operand is computed without gradients, but the fix would not be",
    ),
    (
        """\
        def f(x):
            p = F.softmax(x, 1)
            x = x + 1
            return torch.log(p) + x
        """,
        "`x` has another value here",
    ),
    (
        """\
        def f(x):
            return torch.log2(F.softmax(x, 1))
        """,
        "its rule has no fix for this form",
    ),
]


@pytest.mark.parametrize(("text", "reason"), WITHHELD)
def test_reason_is_said(text: str, reason: str) -> None:
    finding = found(text)
    assert finding.fix is None
    assert finding.unfixed == reason
    said = full(finding, "a.py", HEAD + dedent(text), Applicability.SAFE)
    assert said.endswith(f"  = no fix: {reason}\n")


@pytest.mark.parametrize(
    "text",
    [
        """\
        def f(x):
            p = F.softmax(x, 1)
            return torch.log(p)
        """,
        """\
        def f(x):
            with torch.no_grad():
                p = F.softmax(x, 1)
                return torch.log(p)
        """,
    ],
)
def test_nothing_is_said_beside_a_fix(text: str) -> None:
    for finding in linted(text).findings:
        assert finding.fix is not None
        assert finding.unfixed is None
        assert "no fix" not in full(finding, "a.py", HEAD + dedent(text), Applicability.SAFE)


def test_reason_is_kept_in_the_cache() -> None:
    outcome = linted(WITHHELD[0][0])
    kept = result_of(json_of(outcome))
    assert isinstance(kept, Linted)
    assert [one.unfixed for one in kept.findings] == [WITHHELD[0][1]]
