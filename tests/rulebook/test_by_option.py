"""An operand that depends on the path: reported where every path breaks the operation."""

from __future__ import annotations

import pytest

from mllint_nan.findings import Confidence
from mllint_nan.linter import check_text
from mllint_nan.settings import Settings
from mllint_nan.tracing import trace_row

PROGRAM = """
import torch
from torch import nn
from torch.nn import functional as F


def pick(x, kind):
    if kind == "a":
        return {0}
    return {1}


class Loss(nn.Module):
    def branches(self, x, kind):
        if kind == "a":
            s = {0}
        else:
            s = {1}
        return {2}

    def conditional(self, x, kind):
        s = {0} if kind else {1}
        return {2}

    def returned(self, x, kind):
        s = pick(x, kind)
        return {2}
"""
ROWS = (19, 23, 27)
AUDIT = Settings(min_confidence=Confidence.POSSIBLE)
BROKEN = (
    ("torch.relu(x)", "x.clamp(min=0)", "torch.log(s).mean()", "NAN201"),
    ("x.std(0)", "x.std(0, keepdim=True)", "(x - x.mean(0)) / s", "NAN304"),
    ("(x > 0).sum()", "(x > 1).sum()", "(x * (x > 0)).sum() / s", "NAN301"),
)
SOUND = (
    ("torch.relu(x)", "F.softplus(x) + 1e-3", "torch.log(s).mean()"),
    ("x.std(0) + 1e-6", "x.std(0)", "(x - x.mean(0)) / s"),
    ("(x > 0).sum()", "(x > 1).sum().clamp(min=1)", "(x * (x > 0)).sum() / s"),
)


def found(text: str) -> list[tuple[str, int]]:
    return [(one.code, one.start.row) for one in check_text(text, "program.py", Settings())]


@pytest.mark.parametrize(("first", "second", "result", "code"), BROKEN)
def test_every_path_breaks_it(first: str, second: str, result: str, code: str) -> None:
    reported = found(PROGRAM.format(first, second, result))
    assert {(code, row) for row in ROWS} <= set(reported)


@pytest.mark.parametrize(("first", "second", "result"), SOUND)
def test_one_path_has_seen_to_it(first: str, second: str, result: str) -> None:
    assert not {row for _, row in found(PROGRAM.format(first, second, result))} & {*ROWS}


def test_each_path_is_explained() -> None:
    text = PROGRAM.format(*BROKEN[0]).encode()
    traces = trace_row(text, "program.py", ROWS[0], Settings())
    told = [trace.facts for trace in traces if trace.facts]
    assert len(told) == 2
    for trace in traces:
        if trace.facts:
            judgements = [one for one in trace.judgements if one.code == "NAN201"]
            assert Confidence.LIKELY in {one.confidence for one in judgements}


@pytest.mark.parametrize("second", ["None", "0.0", "torch.rand(3)", "int(3)"])
def test_a_path_that_gives_no_tensor_is_read(second: str) -> None:
    text = PROGRAM.format("torch.relu(x)", second, "torch.log(s).mean()")
    rows = {one.start.row for one in check_text(text, "program.py", AUDIT) if one.code == "NAN201"}
    assert {*ROWS} & rows
    assert second != "None" or ("NAN201", ROWS[1]) in found(text)
