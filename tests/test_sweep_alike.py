"""What is compiled as one is swept as each is alone, and what raises spoils no other."""

from __future__ import annotations

from collections.abc import Callable
from typing import Any

import pytest

from tests.verifier import sweep as sweeping
from tests.verifier.ground_truth import GroundTruth, ground_truths_of
from tests.verifier.observation import Mode
from tests.verifier.points import COARSE
from tests.verifier.samples import Sample, samples
from tests.verifier.sweep import Swept, functions, sweep, sweep_alike

pytestmark = pytest.mark.slow

Trials = list[tuple[GroundTruth, ...]]


@pytest.fixture
def swept() -> tuple[list[Sample], Trials]:
    """Fixes of a rule in JAX, and where they are swept."""
    found = [each for each in samples("sqrt-of-exp") if each.framework == "jax"]
    assert len(found) > 1
    return found, [ground_truths_of(each, "float32", COARSE) for each in found]


def _alone(sample: Sample, trials: tuple[GroundTruth, ...]) -> Swept:
    return sweep(sample, "float32", "cpu", Mode.COMPILED, trials)


def test_each_is_swept_as_it_is_alone(swept: tuple[list[Sample], Trials]) -> None:
    found, trials = swept
    together = sweep_alike(found, "float32", "cpu", Mode.COMPILED, trials)
    assert together == [*map(_alone, found, trials)]
    assert all(each.sides and each.points and not each.trouble for each in together)


def test_one_that_cannot_be_executed_spoils_no_other(
    swept: tuple[list[Sample], Trials], monkeypatch: pytest.MonkeyPatch
) -> None:
    found, trials = swept

    def refused(**inputs: Any) -> Any:
        raise TypeError("there is no such operation")

    def versions(sample: Sample, dtype: str) -> tuple[Callable[..., Any], Callable[..., Any]]:
        before, after = functions(sample, dtype)
        return (before, refused) if sample is found[0] else (before, after)

    monkeypatch.setattr(sweeping, "functions", versions)
    first, *others = sweep_alike(found, "float32", "cpu", Mode.COMPILED, trials)
    assert first.trouble == "TypeError: there is no such operation"
    assert others == [*map(_alone, found[1:], trials[1:])]
    assert not any(each.trouble or each.absent for each in others)
