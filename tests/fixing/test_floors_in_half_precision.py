"""A floor is no 0 in float16, where the source shows that format."""

from __future__ import annotations

from collections.abc import Callable
from typing import Any

import pytest

from mllint_nan.findings import Applicability
from mllint_nan.linter import Linted, Settings, fix_text, lint_text
from tests.on_demand import module

torch = module("torch")

ROOT = "import torch\n\n\ndef f(x):\n    x = {}\n    return x.clamp(min=0).sqrt()\n"
HALF = ("x.half()", "x.to(torch.float16)", "x.type(torch.half)")


def applicability(text: str) -> Applicability:
    outcome = lint_text(text, "a.py", Settings())
    assert isinstance(outcome, Linted)
    (finding,) = outcome.findings
    assert finding.fix is not None
    return finding.fix.applicability


@pytest.mark.parametrize("cast", HALF)
def test_floor_is_what_float16_keeps_and_unsafe(cast: str) -> None:
    text = ROOT.format(cast)
    assert applicability(text) is Applicability.UNSAFE
    assert ".clamp(min=1e-4)" in fix_text(text, "a.py", Settings(unsafe_fixes=True)).text


@pytest.mark.parametrize("cast", ["x.float()", "x.bfloat16()", "x.to(torch.float64)"])
def test_floor_is_the_smallest_in_other_formats(cast: str) -> None:
    fixed = fix_text(ROOT.format(cast), "a.py", Settings(unsafe_fixes=True)).text
    assert ".clamp(min=1e-37)" in fixed


@pytest.mark.slow
@pytest.mark.parametrize("cast", [*HALF, "x.float()", "x.bfloat16()"])
def test_gradient_at_0_is_finite(cast: str) -> None:
    text = ROOT.format(cast)
    for source, is_finite in (
        (text, False),
        (fix_text(text, "a.py", Settings(unsafe_fixes=True)).text, True),
    ):
        names: dict[str, Callable[..., Any]] = {}
        exec(source, names)
        x = torch.tensor([0.0, 4.0], requires_grad=True)
        names["f"](x).sum().backward()
        assert bool(torch.isfinite(x.grad).all()) is is_finite
