"""JAX's functions can be read instead of called: a fix must not change what is read."""

from __future__ import annotations

import numpy as np
import pytest

from mllint_nan.findings import Confidence
from mllint_nan.linter import fix_bytes
from mllint_nan.settings import Settings
from tests.on_demand import module

jax, jnp = module("jax"), module("jax.numpy")

pytestmark = pytest.mark.slow

EVERYTHING = Settings(min_confidence=Confidence.POSSIBLE, unsafe_fixes=True)
SOFTPLUS = "lambda x: jnp.log1p(jnp.exp(x))"
READER = """
import jax
import jax.numpy as jnp
from somelib import primitives

"""


def primitives(function: object) -> list[str]:
    """The names of the operations of a function, as those that invert it one by one need them."""
    jaxpr = jax.make_jaxpr(function)(1.0)  # type: ignore[arg-type]
    return [equation.primitive.name for equation in jaxpr.eqns]


def fixed(text: str) -> str:
    return fix_bytes(text.encode(), "program.py", EVERYTHING).data.decode()


@pytest.mark.parametrize(
    "statement",
    [
        f"read = primitives({SOFTPLUS})",
        f"(read,) = [primitives(one) for one in ({SOFTPLUS},)]",
        f"table = {{'softplus': {SOFTPLUS}}}\nread = primitives(table['softplus'])",
    ],
)
def test_lambda_that_may_be_read_keeps_its_operations(statement: str) -> None:
    text = f"{READER}{statement}\n"
    after = fixed(text)
    names = {"jnp": jnp, "primitives": primitives}
    exec(after.replace("from somelib import primitives", ""), names)
    assert names["read"] == ["exp", "log1p"]
    assert primitives(jax.nn.softplus) != names["read"]  # what the fix would have made of it


@pytest.mark.parametrize(
    "statement",
    [
        f"function = {SOFTPLUS}",
        f"function = jax.jit({SOFTPLUS})",
        f"function = jax.vmap({SOFTPLUS})",
    ],
)
def test_lambda_that_is_called_is_repaired(statement: str) -> None:
    text = f"{READER}{statement}\n"
    after = fixed(text)
    names: dict[str, object] = {}
    exec(after.replace("from somelib import primitives", ""), names)
    function = names["function"]
    np.testing.assert_allclose(function(jnp.array([1000.0])), [1000.0])  # type: ignore[operator]
