"""A fix never leaves one minus before another, and its text has the value that it had."""

from __future__ import annotations

from typing import Any

import numpy as np
import pytest

from mllint_nan.findings import Confidence
from mllint_nan.linter import Settings, fix_bytes
from tests.on_demand import module

torch = module("torch")

pytestmark = pytest.mark.slow

SETTINGS = Settings(unsafe_fixes=True, min_confidence=Confidence.POSSIBLE)
TORCH = "import torch\nimport torch.nn.functional as F\n\n\ndef f(x, y, gain):\n    return "
NUMPY = "import numpy as np\n\n\ndef f(x, y, gain):\n    return "


def fixed(head: str, expression: str) -> str:
    text = fix_bytes(f"{head}{expression}\n".encode(), "a.py", SETTINGS).data.decode()
    definition = head[head.index("def f") :]
    assert definition in text
    return text.partition(definition)[2].removesuffix("\n")


def result(head: str, expression: str, x: Any, y: Any, gain: Any) -> Any:
    names: dict[str, Any] = {}
    exec(f"{head}{expression}\n", names)
    return names["f"](x, y, gain)


@pytest.mark.parametrize(
    ("before", "after"),
    [
        ("1 / (1 + torch.exp(gain * (y - x)))", "torch.sigmoid(gain * (x - y))"),
        ("1 / (1 + torch.exp(-gain * (y - x)))", "torch.sigmoid(gain * (y - x))"),
        ("1 / (1 + torch.exp(-(x - y)))", "torch.sigmoid(x - y)"),
        ("1 / (1 + torch.exp(x - y))", "torch.sigmoid(y - x)"),
        ("1 / (1 + torch.exp((x - y) / gain))", "torch.sigmoid((y - x) / gain)"),
        ("1 / (1 + torch.exp(x + y))", "torch.sigmoid(-(x + y))"),
        ("1 / (1 + torch.exp(x * y))", "torch.sigmoid(-(x * y))"),
        ("torch.log(1 - torch.sigmoid(x - 3))", "F.logsigmoid(3 - x)"),
        ("torch.log(1 - torch.sigmoid(-x))", "F.logsigmoid(x)"),
        ("1 / (1 + torch.exp(x.sum() - y.sum()))", "torch.sigmoid(y.sum() - x.sum())"),
    ],
)
def test_operands_of_torch_take_the_minus(before: str, after: str) -> None:
    assert fixed(TORCH, before) == after
    x, y = torch.tensor([0.5, -2.0, 3.0]), torch.tensor([1.0, 1.5, -0.25])
    old, new = (result(TORCH, text, x, y, 1.7) for text in (before, after))
    torch.testing.assert_close(new, old, rtol=1e-5, atol=0)


LOG = "np.log(1 / (1 + np.exp(-x)))"
"""It becomes `-np.logaddexp(0, -x)`."""


@pytest.mark.parametrize(
    ("before", "after"),
    [
        (f"-{LOG}", "np.logaddexp(0, -x)"),
        (f"-({LOG}) * 3", "np.logaddexp(0, -x) * 3"),
        (f"y - {LOG}", "y + np.logaddexp(0, -x)"),
        (f"y + {LOG}", "y - np.logaddexp(0, -x)"),
        (f"y - gain * {LOG} / 2", "y + gain * np.logaddexp(0, -x) / 2"),
        (f"-y * {LOG}", "y * np.logaddexp(0, -x)"),
        (f"-(y * {LOG})", "y * np.logaddexp(0, -x)"),
        (f"y * {LOG}", "y * -np.logaddexp(0, -x)"),
        (f"2.0 ** -{LOG}", "2.0 ** np.logaddexp(0, -x)"),
        (f"{LOG} ** 2", "(-np.logaddexp(0, -x)) ** 2"),
    ],
)
def test_sign_before_the_place_takes_the_minus(before: str, after: str) -> None:
    assert fixed(NUMPY, before) == after
    x, y = np.array([0.5, -2.0, 3.0]), np.array([1.0, 1.5, -0.25])
    old, new = (result(NUMPY, text, x, y, 1.7) for text in (before, after))
    np.testing.assert_allclose(new, old, rtol=1e-13)


def test_augmented_difference_becomes_a_sum() -> None:
    head = "import numpy as np\n\n\ndef f(x, total):\n    total "
    text = f"{head}-= {LOG}\n    return total\n"
    after = fix_bytes(text.encode(), "a.py", SETTINGS).data.decode()
    assert after == f"{head}+= np.logaddexp(0, -x)\n    return total\n"


def test_calls_with_effects_keep_their_order() -> None:
    before = "1 / (1 + torch.exp(y.pop() - x.pop()))"
    assert fixed(TORCH, before) == "torch.sigmoid(-(y.pop() - x.pop()))"
    values = [torch.tensor(1.0), torch.tensor(3.0)]
    shared, again = list(values), list(values)
    old = result(TORCH, before, shared, shared, 1)
    torch.testing.assert_close(result(TORCH, fixed(TORCH, before), again, again, 1), old)


def test_boolean_factor_is_not_negated() -> None:
    before = "1 / (1 + torch.exp(x * y))"
    after = fixed(TORCH, before)
    mask = torch.tensor([True, False])
    y = torch.tensor([1.0, 2.0])
    torch.testing.assert_close(result(TORCH, after, mask, y, 1), result(TORCH, before, mask, y, 1))
