"""What a program takes care to compute in full is as exact after its fix."""

from __future__ import annotations

from typing import Any

import mpmath
import pytest

from mllint_nan import fix_source
from mllint_nan.settings import Settings
from tests.on_demand import module

torch = module("torch")

pytestmark = pytest.mark.slow

LOSS = """\
import torch


def loss(x, z):
    return z * torch.log(torch.sigmoid(x)) + (1 - z) * torch.log1p(-torch.sigmoid(x))
"""


def _loss(text: str) -> Any:
    names: dict[str, Any] = {}
    exec(text, names)
    return names["loss"]


@pytest.mark.parametrize("label", [0.0, 1.0])
@pytest.mark.parametrize("logit", [-60.0, -23.0, -10.0, -1.0, 0.0, 3.0, 10.0, 23.0, 60.0])
def test_small_losses_keep_their_digits(logit: float, label: float) -> None:
    after = _loss(fix_source(LOSS, settings=Settings()).text)
    true = -mpmath.log1p(mpmath.exp(-logit if label else logit))
    x, z = torch.tensor([logit]), torch.tensor([label])
    assert float(after(x, z)) == pytest.approx(float(true), rel=1e-5)
