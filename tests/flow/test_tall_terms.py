"""Of an expression of hundreds of operations, the last ones are still known."""

from __future__ import annotations

import pytest

from mllint_nan.linter import check_text
from mllint_nan.settings import Settings

LAYERS = 300


def found(last: str) -> list[str]:
    """The codes that are reported by default after a long chain of operations."""
    chain = "    h = torch.tanh(h @ w)\n" * LAYERS
    text = f"import torch\n\n\ndef unit(h, w):\n{chain}    h = {last}\n    return h / h.norm()\n"
    return [one.code for one in check_text(text, "program.py", Settings())]


def test_what_is_rectified_last_may_be_all_zero() -> None:
    assert found("torch.relu(h @ w)") == ["NAN303"]


@pytest.mark.parametrize("last", ["torch.relu(h @ w) + 1.0", "torch.exp(torch.tanh(h))"])
def test_what_is_bounded_last_is_not_zero(last: str) -> None:
    assert found(last) == []
