"""Each kind keeps what it says it keeps, for arrays of each sort."""

from __future__ import annotations

import numpy as np
import pytest

from benchmarks.witnesses.kinds import KINDS, Array, Kind, is_probability, kind_named
from benchmarks.witnesses.witness import Grade

_RNG = np.random.default_rng(1)
ARRAYS = {
    "logits": _RNG.standard_normal((4, 5)).astype(np.float32),
    "image": _RNG.random((2, 3, 4, 4)).astype(np.float32),
    "scalar": np.array(0.5),
    "labels": _RNG.integers(1, 5, 6),
    "mask": _RNG.random((3, 4)) > 0.5,
    "nothing": np.zeros((0, 3), np.float32),
    "half": _RNG.standard_normal(3).astype(np.float16),
    "infinite": np.array([np.inf, 1.0]),
    "words": np.array(["a", "b"]),
}


@pytest.mark.parametrize("kind", KINDS, ids=lambda kind: kind.name)
@pytest.mark.parametrize("name", ARRAYS)
def test_shape_and_dtype_stay(kind: Kind, name: str) -> None:
    original = ARRAYS[name]
    before = original.copy()
    changed = kind.applied(original, np.random.default_rng(0))
    assert np.array_equal(original, before)
    if kind.keeps_shape:
        assert changed.shape == original.shape
    if kind.keeps_dtype or original.dtype.kind != "f":
        assert changed.dtype == original.dtype
    if original.dtype.kind in "iu":
        assert original.min() <= changed.min() and changed.max() <= original.max()
    if name == "image" and kind.grade is Grade.ORDINARY:
        assert changed.min() >= 0 and changed.max() <= 1


def test_probabilities_stay_probabilities() -> None:
    rows = _RNG.dirichlet(np.ones(4), 3)
    for kind in KINDS:
        if kind.within_unit:
            assert is_probability(kind.applied(rows, np.random.default_rng(0))), kind.name


@pytest.mark.parametrize(
    ("name", "given", "expected"),
    [
        ("zeros", [0.5, 0.2], [0, 0]),
        ("constant", [0.5, 0.2], [0.5, 0.5]),
        ("padding", [1.5, 2.5, 3.5, 4.5], [1.5, 0, 0, 0]),
        ("duplicates", [1.5, 2.5, 3.5], [1.5, 1.5, 3.5]),
        ("saturated", [-1.0, 2.0, 0.5], [-30, 30, -30]),
        ("saturated", [0.1, 0.9, 0.5], [0, 1, 0]),
        ("large", [-1.0, 2.0, 0.5], [-1e4, 1e4, -1e4]),
        ("empty-mask", [1.0, 1.0, 0.0], [0, 0, 0]),
        ("full-mask", [1.0, 1.0, 0.0], [1, 1, 1]),
        ("empty-mask", [1.0, 0.5], [1, 0.5]),
        ("batch-of-one", [[1.0, 2.0, 3.0], [4.0, 5.0, 6.0]], [[1, 2, 3]]),
    ],
)
def test_kind(name: str, given: list[float], expected: list[float]) -> None:
    array: Array = np.array(given, np.float32)
    changed = kind_named(name).applied(array, np.random.default_rng(0))
    assert changed.tolist() == expected


def test_what_is_written_down_with_one_sign_keeps_to_its_numbers() -> None:
    scale = np.array([2.0, 3.0])
    zeros = kind_named("zeros")
    rng = np.random.default_rng(0)
    assert zeros.applied(scale, rng, drawn=False).tolist() == [2, 2]
    assert zeros.applied(scale, rng).tolist() == [0, 0]
    assert zeros.applied(np.array([-2.0, 3.0]), rng, drawn=False).tolist() == [0, 0]


def test_equal_operands_are_equal() -> None:
    kind, rng = kind_named("equal-operands"), np.random.default_rng(0)
    first, second = (kind.applied(_RNG.standard_normal((2, 3)), rng) for _ in range(2))
    assert np.array_equal(first, second)
