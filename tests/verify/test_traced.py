"""TensorFlow's graphs stand for one expression of inputs of one kind, and say what it says."""

from __future__ import annotations

from dataclasses import replace
from typing import Any

import pytest

from mllint_nan.verify.execution.adapters import ADAPTERS, Adapter, Names, Seen
from mllint_nan.verify.execution.inputs import Layout, Variable

pytestmark = pytest.mark.slow

X = Variable("x", -10.0, 10.0, is_integer=False, is_boolean=False, is_differentiable=True)
Y = replace(X, name="y")
NUMBERS = {"x": [0.5, -2.0, 0.0], "y": [3.0, 0.0, 1.0]}
CODE = compile("tf.where(x > 0, tf.exp(x), 0.0) * tf.cast(y, x.dtype)", "<expression>", "eval")


KINDS = [
    [X, Y],
    [Y, X],
    [X, replace(Y, is_differentiable=False)],
    [replace(X, is_differentiable=False), Y],
    [X, replace(Y, is_boolean=True, is_differentiable=False)],
]
OFTEN = 20


@pytest.fixture(scope="module")
def adapter() -> Adapter:
    return ADAPTERS["tensorflow"]()


@pytest.fixture(scope="module")
def names() -> Names:
    return {"tf": pytest.importorskip("tensorflow")}


def seen(adapter: Adapter, names: Names, variables: list[Variable], dtype: str) -> Seen:
    point = {
        each.name: [*map(bool, NUMBERS[each.name])] if each.is_boolean else NUMBERS[each.name]
        for each in variables
    }
    return adapter.run(CODE, names, point, Layout(variables, (3,)), dtype)


@pytest.mark.parametrize("dtype", ["float32", "float64"])
@pytest.mark.parametrize("variables", KINDS)
def test_graph_says_what_the_expression_says(
    adapter: Adapter, names: Names, variables: list[Variable], dtype: str
) -> None:
    """All of them of one adapter, so that none is taken for another."""
    known = seen(ADAPTERS["tensorflow"](), names, variables, dtype)
    assert any(known.gradient)
    assert {repr(seen(adapter, names, variables, dtype)) for _ in range(OFTEN)} == {repr(known)}


def test_each_is_traced_once(names: Names) -> None:
    adapter: Any = ADAPTERS["tensorflow"]()
    for variables in KINDS * OFTEN:
        seen(adapter, names, variables, "float32")
    assert len(adapter.traced) == len(KINDS)
