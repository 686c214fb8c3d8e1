"""The probability of what a label says is 0 and 1 where the label is, and p."""

from __future__ import annotations

import pytest

from tests.flow.analysed import value_logged

BOTH = frozenset((0.0, 1.0))


@pytest.mark.parametrize(
    "chosen",
    [
        "t * p + (1 - t) * (1 - p)",
        "p * t + (1 - p) * (1 - t)",
        "(1 - t) * (1 - p) + t * p",
        "t.float() * p + (1 - t.float()) * (1 - p)",
    ],
)
def test_what_a_label_chooses_from_both_probabilities_is_attained(chosen: str) -> None:
    text = f"def f(x, t):\n    p = torch.sigmoid(x)\n    return torch.log({chosen})\n"
    assert value_logged(text).attained >= BOTH


@pytest.mark.parametrize(
    "mixed",
    [
        "t * p + (1 - t) * 0.1",  # smoothed
        "t * p + (1 - t) * (1 - x)",
        "t * p + (1 - x) * (1 - p)",
        "t * p + (1 - t) * torch.sigmoid(-x)",
    ],
)
def test_what_smooths_a_probability_attains_nothing(mixed: str) -> None:
    text = f"def f(x, t):\n    p = torch.sigmoid(x)\n    return torch.log({mixed})\n"
    assert not value_logged(text).attained & BOTH


@pytest.mark.parametrize(
    ("error", "attained"),
    [
        ('F.cross_entropy(x, t, reduction="none")', {0.0}),
        ('F.binary_cross_entropy_with_logits(x, t, reduction="none")', {0.0}),
        ('F.binary_cross_entropy(torch.sigmoid(x), t, reduction="none")', {0.0}),
        ("F.cross_entropy(x, t)", set()),
        ('F.cross_entropy(x, t, reduction="none", label_smoothing=0.1)', set()),
        ('F.cross_entropy(torch.tanh(x), t, reduction="none")', set()),
    ],
)
def test_the_error_of_one_example_is_0_where_free_logits_are_right(
    error: str, attained: set[float]
) -> None:
    assert value_logged(f"def f(x, t):\n    return torch.log({error})\n").attained == attained
