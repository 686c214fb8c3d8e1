"""Counts that a scatter adds up from ones."""

from __future__ import annotations

import pytest

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
