"""A loss that is summed or averaged along an axis stays so: as many results, and the same ones."""

from __future__ import annotations

import numpy as np
import pytest

from mllint_nan.linter import Settings
from tests.fixing.programs import repaired, value, whole

pytestmark = pytest.mark.slow

LOGITS = [[0.5, -1.0, 2.0], [-3.0, 0.25, 1.0]]
LABELS = [[1.0, 0.0, 1.0], [0.0, 1.0, 0.0]]
TORCH = "p = torch.sigmoid(z)\n    e = y * torch.log(p) + (1 - y) * torch.log(1 - p)\n    "
NUMPY = "p = 1 / (1 + np.exp(-z))\n    e = y * np.log(p) + (1 - y) * np.log(1 - p)\n    "
REDUCED = {
    "sum along an axis": ("torch", TORCH + "return -e.sum(-1)"),
    "sum along a kept axis": ("torch", TORCH + "return -torch.sum(e, dim=0, keepdim=True)"),
    "mean along an axis": ("torch", TORCH + "return -e.mean(dim=1)"),
    "sum of all": ("torch", TORCH + "return -e.sum()"),
    "mean of all": ("torch", TORCH + "return -e.mean()"),
    "no reduction": ("torch", TORCH + "return -e"),
    "no minus": ("torch", TORCH + "return e"),
    "minus inside": (
        "torch",
        "p = torch.sigmoid(z)\n    return (-y * torch.log(p) - (1 - y) * torch.log(1 - p)).sum(1)",
    ),
    "sum along an axis of NumPy": ("numpy", NUMPY + "return -e.sum(-1)"),
    "mean along an axis of NumPy": ("numpy", NUMPY + "return -np.mean(e, axis=0, keepdims=True)"),
    "no minus in NumPy": ("numpy", NUMPY + "return e.sum(0)"),
}


@pytest.mark.parametrize("name", REDUCED)
def test_a_loss_keeps_its_shape_and_sign(name: str) -> None:
    framework, text = REDUCED[name]
    before = whole(framework, f"def f(z, y):\n    {text}")
    after = repaired(before, Settings())
    assert after != before
    old, new = (value(framework, program, LOGITS, LABELS)[0] for program in (before, after))
    assert old.shape == new.shape, after
    assert new == pytest.approx(old, rel=1e-5), after
    assert np.isfinite(value(framework, after, [[200.0, -200.0, 0.0]], [[0.0, 1.0, 1.0]])[0]).all()
