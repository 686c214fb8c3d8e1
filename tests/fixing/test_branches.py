"""A selection whose branches a fix has made equal becomes the one, where its shape is the same."""

from __future__ import annotations

from typing import Any

import pytest

from mllint_nan.findings import Confidence
from mllint_nan.linter import Settings, fix_bytes
from tests.on_demand import module

torch = module("torch")

pytestmark = pytest.mark.slow

SETTINGS = Settings(unsafe_fixes=True, min_confidence=Confidence.POSSIBLE)
HEAD = "import numpy as np\nimport torch\nimport torch.nn.functional as F\n\n\n"
USES = "\n\ndef uses():\n    return np, torch, F\n"


def fixed(expression: str) -> str:
    head = f"{HEAD}def f(x, m):\n    return "
    after = fix_bytes(f"{head}{expression}\n{USES}".encode(), "a.py", SETTINGS).data.decode()
    assert after.startswith(head)
    return after.removeprefix(head).removesuffix(f"\n{USES}")


def result(expression: str, *arguments: Any) -> Any:
    names: dict[str, Any] = {}
    exec(f"{HEAD}def f(x, m):\n    return {expression}\n", names)
    return names["f"](*arguments)


@pytest.mark.parametrize(
    ("before", "after"),
    [
        (
            "torch.where(x > 0, torch.log(torch.sigmoid(x)), F.logsigmoid(x))",
            "F.logsigmoid(x)",
        ),
        (
            "torch.where(x > 0, F.softplus(x), torch.log(1 + torch.exp(x))) * 2",
            "F.softplus(x) * 2",
        ),
        (
            "2 - torch.where(x + m > 0, F.softplus(x + m), torch.log(1 + torch.exp(x + m)))",
            "2 - F.softplus(x + m)",
        ),
    ],
)
def test_equal_branches_become_one(before: str, after: str) -> None:
    assert fixed(before) == after
    x, m = torch.tensor([[-3.0, 0.0, 2.0]]), torch.tensor([[1.0], [4.0]])
    old, new = result(before, x, m), result(after, x, m)
    assert new.shape == old.shape
    torch.testing.assert_close(new, old)


def test_branches_that_are_sound_where_they_are_selected_stay() -> None:
    before = "np.where(x >= 0, 1 / (1 + np.exp(-x)), np.exp(x) / (1 + np.exp(x)))"
    assert fixed(before) == before


@pytest.mark.parametrize(
    ("before", "after"),
    [
        (  # the mask may have more axes than x
            "torch.where(m, F.softplus(x), torch.log(1 + torch.exp(x)))",
            "torch.where(m, F.softplus(x), F.softplus(x))",
        ),
        (  # the condition takes something away
            "torch.where(m.pop() > x, F.softplus(x), torch.log(1 + torch.exp(x)))",
            "torch.where(m.pop() > x, F.softplus(x), F.softplus(x))",
        ),
        (  # it was there
            "torch.where(x > 0, x.exp(), x.exp()) + torch.log(torch.sigmoid(x))",
            "torch.where(x > 0, x.exp(), x.exp()) + F.logsigmoid(x)",
        ),
    ],
)
def test_selection_that_may_matter_stays(before: str, after: str) -> None:
    assert fixed(before) == after
