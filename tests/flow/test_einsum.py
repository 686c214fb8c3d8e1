"""Equations of `einsum` that plain operations compute, and those that are left alone."""

from __future__ import annotations

import numpy as np
import pytest

from mllint_nan.flow.einsum import contraction
from tests.flow.analysed import named

SHAPES = {"b": 2, "t": 3, "d": 4, "i": 3, "j": 3}


def _by_plan(equation: str, operands: list[np.ndarray]) -> np.ndarray:
    plan = contraction(equation, len(operands))
    assert plan is not None
    result = np.prod(operands, axis=0)
    if plan.selects_diagonal:
        result = np.diagonal(result)
    if plan.axes:
        result = result.sum(axis=plan.axes)
    return result.T if plan.is_rearranged else result


@pytest.mark.parametrize(
    "equation",
    ["bt->b", "bt->t", "btd->b", "btd->", "bt -> tb", "ii->i", "ii->", "...t->...", "bt,bt->b"],
)
def test_the_plan_computes_what_einsum_does(equation: str) -> None:
    random = np.random.default_rng(0)
    subscripts = equation.replace(" ", "").partition("->")[0].replace("...", "b").split(",")
    operands = [random.normal(size=[SHAPES[axis] for axis in one]) for one in subscripts]
    assert np.allclose(_by_plan(equation, operands), np.einsum(equation, *operands))


@pytest.mark.parametrize(
    ("equation", "count"),
    [
        ("bt", 1),  # says nothing of the result
        ("bt,btd->bd", 2),
        ("id,jd->ij", 2),
        ("iij->j", 1),
        ("t...->...", 1),
        ("...t->t", 1),
        ("bt->b", 2),
        ("bt->bb", 1),
        ("bt->bx", 1),
    ],
)
def test_what_is_no_plain_sum_has_no_plan(equation: str, count: int) -> None:
    assert contraction(equation, count) is None


@pytest.mark.parametrize(
    ("source", "is_product"),
    [
        ("torch.tensordot(x, y, 1)", True),
        ("torch.tensordot(x, y, dims=1)", True),
        ("torch.tensordot(x, y, dims=2)", False),
        ("torch.tensordot(x, y)", False),
        ("torch.tensordot(x, y, dims=([1], [1]))", False),
    ],
)
def test_tensordot_along_one_axis_is_a_matrix_product(source: str, is_product: bool) -> None:
    expected = "matmul(x, y)" if is_product else "opaque"
    assert named("z", f"def f(x, y):\n    return {source}\nz = f(x, y)") == expected
