"""A fix keeps the sign of what divides: finite results stay as they were, to the last bit.

Each program is executed before and after its fixes, on inputs whose divisors take both signs and
on one where the divisor is 0.
"""

from __future__ import annotations

import numpy as np
import pytest

from mllint_nan.linter import Settings
from tests.fixing.programs import EVERYTHING, gradient, repaired, value, whole

pytestmark = pytest.mark.slow

ROWS = [[-3.0, 1.0, 1.5], [2.0, 1.0, 0.5], [-1e-3, 2e-9, 0.0], [-1e-9, -2e-9, -1e-10]]
EMPTY = [1.0, -1.0, 0.0]
NEGATIVE = [[-3.0, -1.0, -2.0], [2.0, 1.0, 0.5], [-1e-9, -2.0, -4.0]]
HIGHEST = [0.0, -1.0, -2.0]

SIGNED = {
    "sum": ("torch", "def f(x):\n    return x / x.sum()", ROWS, EMPTY),
    "sum of a function": ("torch", "def f(x):\n    return x / torch.sum(x)", ROWS, EMPTY),
    "sum along an axis": (
        "torch",
        "def f(x):\n    return x / x.sum(dim=-1, keepdim=True)",
        ROWS,
        EMPTY,
    ),
    "sum by a name": (
        "torch",
        "def f(x):\n    total = x.sum()\n    return x / total",
        ROWS,
        EMPTY,
    ),
    "mean": ("torch", "def f(x):\n    return x / x.mean()", ROWS, EMPTY),
    "shifted weights": (
        "torch",
        "def f(x):\n    w = x - 1e-9\n    return w / w.sum()",
        ROWS,
        [1.0 + 1e-9, -1.0 + 1e-9, 1e-9],
    ),
    "maximum": ("torch", "def f(x):\n    return x / x.max()", NEGATIVE, HIGHEST),
    "maximum of a function": ("torch", "def f(x):\n    return x / torch.max(x)", NEGATIVE, HIGHEST),
    "maximum by a name": (
        "torch",
        "def f(x):\n    peak = x.max()\n    return x / peak",
        NEGATIVE,
        HIGHEST,
    ),
    "maximum in an augmented assignment": (
        "numpy",
        "def f(x):\n    x = x * 1\n    x /= x.max()\n    return x",
        NEGATIVE,
        HIGHEST,
    ),
    "a name that is taken": (
        "torch",
        "def f(x):\n    total = x * 2\n    return total + x / x.sum()",
        ROWS,
        EMPTY,
    ),
    "two of one statement": (
        "torch",
        "def f(x):\n    return x / x.sum() + x.exp() / x.max()",
        ROWS,
        HIGHEST,
    ),
    "sum in NumPy": ("numpy", "def f(x):\n    return x / x.sum()", ROWS, EMPTY),
    "function of NumPy": ("numpy", "def f(x):\n    return x / np.sum(x)", ROWS, EMPTY),
    "rows of NumPy": (
        "numpy",
        "def f(x):\n    return x / x.sum(axis=-1, keepdims=True)",
        ROWS,
        EMPTY,
    ),
    "maximum in NumPy": ("numpy", "def f(x):\n    return x / np.max(x)", NEGATIVE, HIGHEST),
    "mean in NumPy": ("numpy", "def f(x):\n    return x / np.mean(x)", ROWS, EMPTY),
    "sum in JAX": ("jax", "def f(x):\n    return x / jnp.sum(x)", ROWS, EMPTY),
    "rows of JAX": (
        "jax",
        "def f(x):\n    s = x.sum(-1, keepdims=True)\n    return x / s",
        ROWS,
        EMPTY,
    ),
    "maximum in JAX": ("jax", "def f(x):\n    return x / jnp.max(x)", NEGATIVE, HIGHEST),
    "sum in TensorFlow": (
        "tensorflow",
        "def f(x):\n    return x / tf.reduce_sum(x)",
        ROWS,
        EMPTY,
    ),
    "maximum in TensorFlow": (
        "tensorflow",
        "def f(x):\n    peak = tf.reduce_max(x)\n    return x / peak",
        NEGATIVE,
        HIGHEST,
    ),
    "signed degrees": (
        "torch",
        "def f(adjacency):\n    degree = adjacency.sum(-1)\n    return 1 / degree",
        ROWS,
        EMPTY,
    ),
    "fractional degrees": (
        "numpy",
        "def f(adjacency):\n    degree = adjacency.sum(-1)\n    return 1.0 / degree",
        [[0.25, 0.125, 0.0]],
        EMPTY,
    ),
    "the maximum of one column and the minimum of another": (
        "torch",
        "def f(x):\n    x = torch.stack([x, x + 1], 1)\n"
        "    span = x.max(0).values[0] - x.min(0).values[1]\n    return (x - x.min()) / span",
        [[3.0, 1.0, 1.5], [1.0, 1.25, 1.5]],
        [1.0, 2.0, 1.5],
    ),
    "extrema in another order": (
        "numpy",
        "def f(x):\n    x = np.stack([x, x + 1], 1)\n"
        "    span = np.max(x, axis=0)[::-1] - np.min(x, axis=0)\n    return x / span",
        [[3.0, 1.0, 1.5], [1.0, 1.25, 1.5]],
        [1.0, 2.0, 1.5],
    ),
    "an epsilon that is absorbed": (
        "torch",
        "def f(p):\n    return 3 / (1 + 1e-9 - p)",
        [[0.5, 2.0, 40.0]],
        [1.0, 0.5, 2.0],
    ),
}


@pytest.mark.parametrize("name", SIGNED)
def test_finite_quotients_stay_to_the_last_bit(name: str) -> None:
    framework, text, ordinary, singular = SIGNED[name]
    before = whole(framework, text)
    after = repaired(before)
    assert after != before
    for given in (*ordinary, ordinary):
        old, new = (value(framework, program, given)[0] for program in (before, after))
        kept = np.isfinite(old)
        assert np.array_equal(old[kept], new[kept]), after
        assert old.dtype == new.dtype and old.shape == new.shape
    assert not np.isfinite(value(framework, before, singular)[0]).all()
    assert np.isfinite(value(framework, after, singular)[0]).all(), after


@pytest.mark.parametrize("name", [name for name in SIGNED if SIGNED[name][0] != "numpy"])
def test_gradients_are_finite_where_the_divisor_is_0(name: str) -> None:
    framework, text, ordinary, singular = SIGNED[name]
    before = whole(framework, text)
    after = repaired(before)
    assert np.isfinite(gradient(framework, after, singular)).all(), after
    old, new = (gradient(framework, program, ordinary[0]) for program in (before, after))
    assert np.array_equal(old, new), after


NEVER_NEGATIVE = {
    "relu": ("torch", "x = torch.relu(x)\n    return x / x.sum()", "clamp(min=1e-8)"),
    "magnitudes": ("torch", "return x.abs() / x.abs().sum()", "clamp(min=1e-8)"),
    "largest magnitude": ("torch", "return x / x.abs().max()", "clamp(min=1e-8)"),
    "squares": ("torch", "return x**2 / (x**2).sum()", "clamp(min=1e-8)"),
    "span": ("torch", "return (x - x.min()) / (x.max() - x.min())", "clamp(min=1e-8)"),
    "span along an axis": (
        "torch",
        "x = x[:, None] * x\n    return (x - x.min(1).values[:, None]) / "
        "(x.max(1)[0] - x.min(1)[0])[:, None]",
        "clamp(min=1e-8)",
    ),
    "norm": ("torch", "return x / x.norm()", "clamp(min=1e-12)"),
    "count": ("torch", "keep = x > 0\n    return (x * keep).sum() / keep.sum()", "clamp(min=1)"),
    "clamped": ("torch", "x = x.clamp(min=0)\n    return x / x.sum()", "clamp(min=1e-8)"),
    "relu in NumPy": ("numpy", "x = np.maximum(x, 0)\n    return x / x.sum()", "np.maximum("),
    "span in NumPy": ("numpy", "return (x - x.min()) / (x.max() - x.min())", "np.maximum("),
    "norm in NumPy": ("numpy", "return x / np.linalg.norm(x)", "np.maximum("),
    "magnitudes in JAX": ("jax", "return x / jnp.abs(x).sum()", "jnp.maximum("),
    "span in JAX": ("jax", "return (x - x.min()) / (x.max() - x.min())", "jnp.maximum("),
    "relu in TensorFlow": (
        "tensorflow",
        "x = tf.nn.relu(x)\n    return x / tf.reduce_sum(x)",
        "tf.maximum(",
    ),
}


@pytest.mark.parametrize("name", NEVER_NEGATIVE)
def test_what_is_never_negative_keeps_its_floor(name: str) -> None:
    framework, text, floor = NEVER_NEGATIVE[name]
    before = whole(framework, f"def f(x):\n    {text}")
    after = repaired(before)
    assert floor in after
    assert "where(" not in after
    old, new = (value(framework, program, ROWS[0])[0] for program in (before, after))
    assert np.array_equal(old, new)
    assert np.isfinite(value(framework, after, [0.0, 0.0, 0.0])[0]).all()


def test_a_product_of_two_negative_factors_keeps_its_logarithm() -> None:
    before = whole("torch", "def f(x):\n    return torch.log(torch.prod(x))")
    after = repaired(before, Settings(unsafe_fixes=True))
    assert "abs" in after
    for given in ([-2.0, -4.0], [2.0, 4.0], [0.5, 0.25, 8.0]):
        old, new = (value("torch", program, given)[0] for program in (before, after))
        assert new == pytest.approx(old, rel=1e-6)
    assert np.isfinite(value("torch", after, [1e-30, 1e-30])[0])


def test_factors_that_are_never_negative_keep_theirs() -> None:
    after = repaired(whole("torch", "def f(x):\n    return torch.log(torch.prod(x.sigmoid() + 1))"))
    assert "abs" not in after


def test_a_negative_half_keeps_its_sign() -> None:
    before = whole("torch", "def f(x):\n    return 1 / (x.half() + 1e-12)")
    after = repaired(before)
    for given in ([-5e-5, 3.0, -2.0], [7e-5, 1.0, 2.0]):
        assert np.array_equal(value("torch", before, given)[0], value("torch", after, given)[0])
    assert np.isfinite(value("torch", after, [0.0, 1.0, -1.0])[0]).all()


def test_a_ratio_of_two_negative_numbers_keeps_its_logarithm() -> None:
    text = "def f(x):\n    return np.log(x / np.sum(x))"
    before = whole("numpy", text)
    after = repaired(before)
    given = [-1.0, -3.0]
    assert np.array_equal(value("numpy", before, given)[0], value("numpy", after, given)[0])


ALREADY_BOUNDED = {
    "log of a clamp at 0": ("return torch.log(x.clamp(min=0))", "x.clamp(min=1e-12)"),
    "log of a clamp with two bounds": ("return torch.log(torch.clamp(x, 0, 1))", "(x, 1e-12, 1)"),
    "log of a clamp at what the caller says": (
        "return torch.log(x.clamp(min=y))",
        "x.clamp(min=y)",
    ),
    "acos of half the range": ("return torch.acos(x.abs().clamp(max=1))", "clamp(max=1 - 1e-7)"),
    "acos of the range": (
        "return torch.acos(torch.clamp(x, -1, 1))",
        "torch.clamp(x, min=-1 + 1e-7, max=1 - 1e-7)",
    ),
}


@pytest.mark.parametrize("name", ALREADY_BOUNDED)
def test_no_clamp_stands_around_a_clamp(name: str) -> None:
    text, expected = ALREADY_BOUNDED[name]
    before = whole("torch", f"def f(x, y):\n    {text}")
    after = repaired(before)
    assert expected in after
    assert after.count("clamp") == before.count("clamp")
    given = ([0.5, 0.25], 1e-3)
    assert np.array_equal(value("torch", before, *given)[0], value("torch", after, *given)[0])


def test_what_must_stay_in_place_is_not_computed_twice() -> None:
    """Where no line of its own can come before, there is no fix that reads an operand twice."""
    before = whole("torch", "def f(xs):\n    return torch.stack([x / x.sum() for x in xs])")
    assert repaired(before) == before


def test_a_draw_is_not_repeated() -> None:
    before = whole(
        "torch",
        """
        def f(x):
            noise = torch.randn(3)
            return noise.exp() * x / (x * torch.randn(3)).sum()
        """,
    )
    after = repaired(before)
    assert after.count("randn") == before.count("randn")


def test_the_default_offers_no_guess() -> None:
    before = whole("torch", "def f(x):\n    return x / x.sum()")
    assert repaired(before, Settings(min_confidence=EVERYTHING.min_confidence)) == before


STAYS = {
    "a name is bound before": "return (y := x * 2) / y.sum() + x",
    "a call comes before": "return g(x) / x.sum()",
    "something is written before": "return x.mul_(2) / x.sum()",
    "it may not be computed": "return x / x.sum() if y is None else x",
    "it is computed in every round": "return [x / x.sum() for x in y]",
    "another statement shares the line": "y = 1; return x / x.sum()",
}


@pytest.mark.parametrize("name", STAYS)
def test_what_is_read_twice_gets_no_line_where_that_would_change_something(name: str) -> None:
    before = whole("torch", f"def g(x):\n    return x.add_(1)\n\n\ndef f(x, y):\n    {STAYS[name]}")
    assert repaired(before) == before


def test_a_call_around_it_is_no_obstacle() -> None:
    before = whole("torch", "def f(x, y):\n    return max(x.sum(), (x / x.sum()).max())")
    after = repaired(before)
    assert "total = x.sum()" in after or "where(" in after
    old, new = (value("torch", program, [-1.0, 3.0], 0.0)[0] for program in (before, after))
    assert np.array_equal(old, new)
