"""Of an expression of hundreds of operations, the last ones are still known."""

from __future__ import annotations

import pytest

from mllint_nan.linter import check_text
from mllint_nan.settings import Settings

LENGTHS = pytest.mark.parametrize("length", range(60, 72))
"""Around the length from which on terms are cut."""


def found(last: str, length: int) -> list[str]:
    """The codes that are reported by default after a chain of so many layers."""
    chain = "    h = torch.tanh(h @ w)\n" * length
    text = f"import torch\n\n\ndef unit(h, w):\n{chain}    h = {last}\n    return h / h.norm()\n"
    return [one.code for one in check_text(text, "program.py", Settings())]


@LENGTHS
def test_what_is_rectified_last_may_be_all_zero(length: int) -> None:
    assert found("torch.relu(h @ w)", length) == ["NAN303"]


@LENGTHS
@pytest.mark.parametrize("last", ["torch.relu(h @ w) + 1.0", "torch.exp(torch.tanh(h))"])
def test_what_is_bounded_last_is_not_zero(last: str, length: int) -> None:
    assert found(last, length) == []
