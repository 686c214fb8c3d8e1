"""`xlogy` is written where the file writes it, and where its gradient at 0 is not asked for."""

from __future__ import annotations

from typing import Any

import pytest

from mllint_nan.findings import Confidence
from mllint_nan.linter import Settings, fix_bytes
from tests.on_demand import module

torch = module("torch")

pytestmark = pytest.mark.slow

SETTINGS = Settings(unsafe_fixes=True, min_confidence=Confidence.POSSIBLE)
USE = "\n\ndef library(p, y):\n    return torch.xlogy(y, p)\n"
WITHOUT_GRADIENT = "import torch\n\n\n@torch.no_grad()\ndef f(p, y):\n    return {}\n"
WITH_GRADIENT = "import torch\n\n\ndef f(p, y):\n    return {}\n"


def fixed(text: str) -> str:
    return fix_bytes(text.encode(), "a.py", SETTINGS).data.decode()


def result(text: str, *arguments: Any) -> Any:
    names: dict[str, Any] = {}
    exec(text, names)
    return names["f"](*arguments)


@pytest.mark.parametrize(
    ("before", "after"),
    [
        ("-(y * torch.log(p)).sum()", "-torch.xlogy(y, p).sum()"),
        ("-(p * torch.log(p)).sum()", "-torch.xlogy(p, p).sum()"),
    ],
)
def test_xlogy_of_the_file_is_taken_without_a_gradient(before: str, after: str) -> None:
    old, new = (f"{WITHOUT_GRADIENT.format(text)}{USE}" for text in (before, after))
    assert fixed(old) == new
    p, y = torch.tensor([0.5, 0.25, 1.0]), torch.tensor([1.0, 0.0, 2.0])
    torch.testing.assert_close(result(new, p, y), result(old, p, y))
    p, y = torch.tensor([0.0, 0.5]), torch.tensor([0.0, 1.0])
    assert result(old, p, y).isnan()
    assert result(new, p, y).isfinite()


@pytest.mark.parametrize("before", ["-(y * torch.log(p)).sum()", "-(p * torch.log(p)).sum()"])
def test_xlogy_is_not_taken_where_a_gradient_flows(before: str) -> None:
    after = fixed(f"{WITH_GRADIENT.format(before)}{USE}")
    assert "xlogy" not in after.removesuffix(USE)
    p = torch.tensor([0.0, 0.5], requires_grad=True)
    result(after, p, torch.tensor([0.0, 1.0])).backward()
    assert p.grad is not None and p.grad.isfinite().all()


def test_xlogy_is_not_brought_in() -> None:
    assert "xlogy" not in fixed(WITHOUT_GRADIENT.format("-(p * torch.log(p)).sum()"))


def test_xlogy_is_called_as_the_file_calls_it() -> None:
    use = USE.replace("torch.xlogy", "xlogy")
    code = WITHOUT_GRADIENT.format("(y * torch.log(p)).sum()")
    text = f"from torch.special import xlogy\n{code}{use}"
    assert "return xlogy(y, p).sum()" in fixed(text)
