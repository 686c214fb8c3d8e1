"""What a mask says holds of the elements in the same places, and of no others."""

from __future__ import annotations

import pytest

from mllint_nan.findings import Confidence
from mllint_nan.linter import check_text
from mllint_nan.settings import Settings

AUDIT = Settings(min_confidence=Confidence.POSSIBLE)
UNDER_MASKS = (
    "torch.log(torch.where(y > 0, 1.0, 1.0 - {}))",
    "torch.log((1.0 - {}).masked_fill(y > 0, 1.0))",
    "torch.log((1.0 - {})[y <= 0])",
)


def is_proved(expression: str) -> bool:
    """Whether the logarithm is known to be one of what is above 0."""
    text = f"import torch\n\n\ndef f(x, y, index):\n    return {expression}\n"
    found = check_text(text, "program.py", AUDIT)
    return not any(one.code in ("NAN201", "NAN214") for one in found)


@pytest.mark.parametrize("context", UNDER_MASKS)
@pytest.mark.parametrize(
    "value",
    ["y", "2 * y", "y.detach()", "y.clone()", "y.double()", "torch.exp(x) * y", "y.reshape(9)"],
)
def test_elements_in_their_places_are_what_the_mask_says(context: str, value: str) -> None:
    assert is_proved(context.format(value))


@pytest.mark.parametrize("context", UNDER_MASKS)
@pytest.mark.parametrize(
    "value",
    [
        *("y.T", "y.t()", "y.transpose(0, 1)", "y.permute(1, 0)", "y.mT", "y.diagonal()"),
        *("y.sum()", "y.mean(-1, keepdim=True)", "y.max()", "y.cumsum(0)", "y @ y"),
        *("y[0]", "y[index]", "y[1:]", "y.flip(0)", "y.roll(1)", "torch.gather(y, 0, index)"),
        *("torch.stack((y[1], y[0]))", "torch.cat((y[1:], y[:1]))", "torch.sort(y)[0]"),
        "torch.exp(x) * y.T",
    ],
)
def test_elements_in_other_places_are_not(context: str, value: str) -> None:
    assert not is_proved(context.format(value))


def test_a_mask_of_one_number_speaks_of_everything() -> None:
    whole = "torch.log(torch.where({} > 0, 1.0 + (x.abs() * {}).max(), 1.0))"
    assert is_proved(whole.format("y.sum()", "y.sum()"))
    assert is_proved(whole.format("(2 * y.mean())", "y.mean()"))
    assert not is_proved(whole.format("y", "y"))
    assert not is_proved(whole.format("y.sum(-1)", "y.sum(-1)"))


def test_places_of_a_comparison_are_clamped_only_in_place() -> None:
    assert is_proved("torch.log(y.masked_fill(y <= 0, 1.0))")
    assert not is_proved("torch.log(y[-1].masked_fill(y <= 0, 1.0))")
    assert not is_proved("torch.log(y.T.masked_fill(y <= 0, 1.0))")
