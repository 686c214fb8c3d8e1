"""What an object holds may be changed later: nothing is proved by what its constructor computed."""

from __future__ import annotations

import pytest

from mllint_nan.findings import Confidence
from mllint_nan.linter import Linted, Settings, lint_text

POSSIBLE = Settings(min_confidence=Confidence.POSSIBLE)
PROGRAM = """\
import torch


class Rates:
    def __init__(self, x):
        self.p = torch.softmax(x, -1) + 1.0

    def {method}


def helper(rates):
    rates.p = rates.p * 0


def f(x, other):
    rates = Rates(x)
    {change}
    return torch.log(rates.p)
"""
SET, READ = "put(self):\n        self.p = 0 * self.p", "show(self):\n        return self.p"


@pytest.mark.parametrize(
    ("method", "change"),
    [
        ("put(self):\n        self.p[0] = 0", "rates.put()"),
        ("put(self):\n        self.p.zero_()", "rates.put()"),
        ("put(self):\n        self.p -= 1.0", "rates.put()"),
        (SET, "rates.put()"),
        (READ, "helper(rates)"),
        (READ, "other(rates)"),
        (READ, "rates.p.zero_()"),
        (READ, "setattr(rates, 'p', x)"),
        (READ, "same = rates; same.p = x"),
        (READ, "[setattr(one, 'p', x) for one in [rates]]"),
        (READ, "p = rates.p; p.zero_()"),
        (READ, "p = rates.p; p[0] = 0"),
        (READ, "p = rates.show(); p[0] = 0"),
    ],
)
def test_logarithm_of_what_was_changed_is_admitted(method: str, change: str) -> None:
    text = PROGRAM.format(method=method, change=change)
    checked = lint_text(text, "rates.py", POSSIBLE)
    assert isinstance(checked, Linted)
    assert not checked.failures
    assert "NAN201" in [finding.code for finding in checked.findings]
