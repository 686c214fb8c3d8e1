"""Counts that a scatter adds up from ones."""

from __future__ import annotations

import pytest

from mllint_nan.linter import check_text
from mllint_nan.settings import Settings
from tests.flow.analysed import JAX, NUMPY, TORCH, value_logged

COUNTS = [
    (TORCH, "torch.zeros(n).index_add_(0, i, torch.ones(8))"),
    (TORCH, "torch.zeros(n).scatter_add(0, i, torch.ones_like(x))"),
    (TORCH, "torch.zeros(n).index_put((i,), torch.ones(8), accumulate=True)"),
    (TORCH, "torch.bincount(i, minlength=n)"),
    (JAX, "jax.ops.segment_sum(jnp.ones(8), i, n)"),
]
OTHERS = [
    (TORCH, "torch.ones(n).index_add_(0, i, torch.ones(8))"),
    (TORCH, "torch.zeros(n).index_add_(0, i, x)"),
    (TORCH, "torch.zeros(n).index_put((i,), x, accumulate=True)"),
    (TORCH, "torch.bincount(i, x, minlength=n)"),
    (JAX, "jax.ops.segment_sum(x, i, n)"),
]


@pytest.mark.parametrize(("imports", "count"), COUNTS)
def test_ones_added_at_indices_are_counted(imports: str, count: str) -> None:
    module = "jnp" if imports == JAX else "torch"
    value = value_logged(f"def f(x, i, n):\n    return {module}.log({count})\n", imports)
    assert value.integer
    assert value.lo == 0


@pytest.mark.parametrize(("imports", "total"), OTHERS)
def test_other_sums_are_no_counts(imports: str, total: str) -> None:
    module = "jnp" if imports == JAX else "torch"
    value = value_logged(f"def f(x, i, n):\n    return {module}.log({total})\n", imports)
    assert not value.integer


@pytest.mark.parametrize(
    ("imports", "statements", "log"),
    [
        (TORCH, "c = torch.zeros(n)\n    c.index_add_(0, i, torch.ones(8))", "torch.log(c)"),
        (
            TORCH,
            "c = torch.zeros(n)\n    c.index_put_((i,), torch.ones(8), accumulate=True)",
            "torch.log(c)",
        ),
        (NUMPY, "c = np.zeros(n)\n    np.add.at(c, i, 1)", "np.log(c)"),
    ],
)
def test_a_statement_counts_too(imports: str, statements: str, log: str) -> None:
    value = value_logged(f"def f(x, i, n):\n    {statements}\n    return {log}\n", imports)
    assert value.integer
    assert value.lo == 0


SUMS = (
    "torch.zeros(n).index_add(0, index, {})",
    "torch.zeros(n).scatter_add(0, index, {})",
    "jax.ops.segment_sum({}, index, n)",
    "jnp.zeros(n).at[index].add({})",
    "tf.math.unsorted_segment_sum({}, index, n)",
    "tf.scatter_nd(index, {}, shape)",
)


@pytest.mark.parametrize("total", SUMS)
def test_a_sum_at_indices_is_0_where_nothing_falls(total: str) -> None:
    module = total.partition(".")[0].replace("jax", "jnp")
    program = f"""
import jax
import jax.numpy as jnp
import tensorflow as tf
import torch


class Loss(torch.nn.Module):
    def forward(self, x, index, n, shape):
        return {module}.sqrt({total.format("x**2")} + FLOOR)
"""

    def codes(text: str) -> list[str]:
        return [one.code for one in check_text(text, "program.py", Settings())]

    assert codes(program.replace(" + FLOOR", "")) == ["NAN203"]
    assert not codes(program.replace("FLOOR", "1e-6"))
