"""What a count is raised to is 1: it stays an integer, and no quotient that was finite changes."""

from __future__ import annotations

from typing import Any

import numpy as np
import pytest

from mllint_nan.findings import Confidence
from mllint_nan.linter import Settings, fix_bytes
from tests.on_demand import module

tf, torch = module("tensorflow"), module("torch")

pytestmark = pytest.mark.slow

SETTINGS = Settings(unsafe_fixes=True, min_confidence=Confidence.POSSIBLE)
IMPORTS = "import numpy as np\nimport tensorflow as tf\nimport torch\n\n\n"
HEAD = f"{IMPORTS}def f(x):\n    return "


def fixed(text: str) -> str:
    return fix_bytes(text.encode(), "a.py", SETTINGS).data.decode()


def result(text: str, x: Any) -> Any:
    names: dict[str, Any] = {}
    exec(text, names)
    return names["f"](x)


@pytest.mark.parametrize(
    ("before", "after"),
    [
        (
            "torch.bincount(x) / torch.bincount(x).sum()",
            "torch.bincount(x) / torch.bincount(x).sum().clamp(min=1)",
        ),
        (
            "torch.bincount(x, minlength=5) / torch.bincount(x, minlength=5).sum()",
            "torch.bincount(x, minlength=5) / torch.bincount(x, minlength=5).sum().clamp(min=1)",
        ),
        ("torch.log((x == 1).sum())", "torch.log((x == 1).sum().clamp(min=1))"),
        (
            "x.sum() / torch.count_nonzero(x > 0)",
            "x.sum() / torch.clamp(torch.count_nonzero(x > 0), min=1)",
        ),
    ],
)
def test_counts_of_torch_stay_integers(before: str, after: str) -> None:
    assert fixed(f"{HEAD}{before}\n") == f"{HEAD}{after}\n"
    for values in ([1, 2, 2, 0], [1, 1], [3, 1, 1]):
        x = torch.tensor(values)
        old, new = result(f"{HEAD}{before}\n", x), result(f"{HEAD}{after}\n", x)
        assert new.dtype == old.dtype
        torch.testing.assert_close(new, old, rtol=0, atol=0)
    nothing = torch.tensor([], dtype=torch.int64)
    assert torch.isfinite(result(f"{HEAD}{after}\n", nothing)).all()


def test_counts_of_numpy_stay_integers() -> None:
    before = f"{IMPORTS}def f(x):\n    n = np.bincount(x)\n    return n / n.sum()\n"
    after = fixed(before)
    assert after == before.replace("n.sum()", "np.maximum(n.sum(), 1)")
    x = np.array([0, 0, 2])
    np.testing.assert_array_equal(result(after, x), result(before, x))


def test_weighed_counts_are_no_integers() -> None:
    before = f"{IMPORTS}def f(x):\n    n = np.bincount(x, weights=x)\n    return n / n.sum()\n"
    assert ", 1)" not in fixed(before)


def test_integers_of_tensorflow_are_raised_to_an_integer() -> None:
    before = f"{HEAD}tf.math.log(tf.cast(tf.reduce_sum(tf.cast(x > 0, tf.int32)), tf.float32))\n"
    after = fixed(before)
    assert after == before.replace("tf.cast(tf.r", "tf.math.maximum(tf.cast(tf.r").replace(
        "float32))", "float32), 1))"
    )
    x = tf.constant([1.0, -2.0, 3.0])
    np.testing.assert_array_equal(result(after, x), result(before, x))
