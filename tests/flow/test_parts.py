"""Parts of a tensor, patterns of einops and functions that are mapped: evidence goes with them."""

from __future__ import annotations

import pytest

from mllint_nan.findings import Confidence
from mllint_nan.linter import check_text
from mllint_nan.settings import Settings

IMPORTS = """
import einops
import jax
import jax.numpy as jnp
import numpy as np
import tensorflow as tf
import torch
from keras import ops
from scipy import special
"""
PARTS = (
    "torch.softmax({x}, -1).chunk(2, dim=-1)[0].log()",
    "torch.log(torch.chunk(torch.softmax({x}, -1), 2)[1])",
    "torch.log(torch.split(torch.softmax({x}, -1), [2, 2], dim=-1)[0])",
    "torch.log(torch.softmax({x}, -1).split(2)[0])",
    "torch.log(torch.softmax({x}, -1).tensor_split(2)[0])",
    "[part.log() for part in torch.softmax({x}, -1).unbind(0)]",
    "torch.softmax({x}, -1).mT.log()",
    "np.log(np.split(special.softmax({x}), 2)[0])",
    "np.log(np.hsplit(special.softmax({x}), 2)[0])",
    "jnp.log(jnp.split(jax.nn.softmax({x}), 2)[0])",
    "jnp.log(jnp.array_split(jax.nn.softmax({x}), 2)[0])",
    "tf.math.log(tf.split(tf.nn.softmax({x}), 2, axis=-1)[0])",
    "tf.math.log(tf.unstack(tf.nn.softmax({x}))[0])",
    "ops.log(ops.split(ops.softmax({x}), 2)[0])",
    "ops.log(ops.unstack(ops.softmax({x}))[0])",
    'einops.rearrange(torch.softmax({x}, -1), "b (h d) -> b h d", h=2).log()',
    'jnp.log(einops.repeat(jax.nn.softmax({x}), "b c -> b c n", n=3))',
    "jnp.log(jax.lax.map(lambda row: jax.nn.softmax(row), {x}))",
    "tf.math.log(tf.map_fn(lambda row: tf.nn.softmax(row), {x}))",
    "jnp.log(jnp.vectorize(lambda row: jax.nn.softmax(row))({x}))",
)


def codes(body: str, least: Confidence = Confidence.LIKELY) -> list[str]:
    found = check_text(f"{IMPORTS}\n\n{body}", "program.py", Settings(min_confidence=least))
    return [one.code for one in found]


@pytest.mark.parametrize("expression", PARTS)
def test_a_part_has_the_values_of_the_whole(expression: str) -> None:
    assert "NAN101" in codes(f"def f(x):\n    return {expression.format(x='x')}\n")


@pytest.mark.parametrize("expression", PARTS)
def test_a_part_has_the_bounds_of_the_whole(expression: str) -> None:
    bounded = expression.format(x="x").replace("softmax(x, -1)", "sigmoid(x).add(1)")
    for module in ("special", "jax.nn", "tf.nn", "ops"):
        bounded = bounded.replace(f"{module}.softmax(x)", "(abs(x) + 1)")
    bounded = bounded.replace("jax.nn.softmax(row)", "abs(row) + 1")
    bounded = bounded.replace("tf.nn.softmax(row)", "abs(row) + 1")
    assert "softmax" not in bounded
    assert not codes(f"def f(x):\n    return {bounded}\n", Confidence.POSSIBLE)


@pytest.mark.parametrize("call", ["p.chunk(2, dim=-1)", "torch.split(p, 2, -1)", "p.unbind(-1)"])
def test_a_part_that_is_unpacked(call: str) -> None:
    body = (
        f"def f(x):\n    p = torch.softmax(x, -1)\n    a, b = {call}\n    return a + torch.log(b)\n"
    )
    assert "NAN101" in codes(body)


def test_a_text_that_is_split_is_no_tensor() -> None:
    """Only what cannot be a text is split as a tensor."""
    body = "def f(line, sep):\n    a, b = line.split(sep)\n    return float(a) / float(b)\n"
    assert "NAN309" not in codes(body)


def test_a_mean_by_pattern_is_one_over_a_count() -> None:
    body = """
    def f(x, mask):
        n = einops.reduce(mask.float(), "b t -> b 1", {!r})
        return torch.sum(x * mask, 1, keepdim=True) / n
    """
    text = body.replace("\n    ", "\n")
    assert "NAN301" in codes(text.format("sum"))
    assert "NAN301" not in codes(text.format("max"))
