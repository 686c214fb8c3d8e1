"""Calls of one of several functions: their results, and what holds inside the functions."""

from __future__ import annotations

import pytest

from mllint_nan.linter import check_text
from mllint_nan.settings import Settings
from tests.flow.analysed import logged

IMPORTS = "import jax\nimport tensorflow as tf\nimport torch\n\n"
SOME = "lambda v: torch.exp(v)"
OTHER = "lambda v: torch.cosh(v)"


@pytest.mark.parametrize(
    "call",
    [
        f"torch.cond(x > 0, {SOME}, {OTHER}, (x,))",
        f"torch.cond(x > 0, {SOME}, {OTHER}, operands)",
        f"jax.lax.cond(x > 0, {SOME}, {OTHER}, x)",
        f"jax.lax.switch(n, [{SOME}, {OTHER}], x)",
        "jax.lax.switch(n, functions, x)",
        "tf.cond(x > 0, lambda: torch.exp(x), lambda: torch.cosh(x))",
        "tf.cond(x > 0, false_fn=lambda: torch.cosh(x), true_fn=lambda: torch.exp(x))",
        "tf.cond(x > 0, fn1=lambda: torch.exp(x), fn2=lambda: torch.cosh(x))",
    ],
)
def test_the_result_is_that_of_either_function(call: str) -> None:
    found = logged(f"{IMPORTS}def f(x, n, operands, functions):\n    torch.log({call})\n")
    is_visible = "operands" not in call and "functions" not in call
    assert ("exp(x)" in found and "cosh(x)" in found) is is_visible, found


MEAN = """
def mean(x):
    n = tf.reduce_sum(tf.cast(x > 0, tf.float32))

    def some():
        return tf.reduce_sum(x) / n

    def none():
        return 0.0

"""


@pytest.mark.parametrize(
    ("returned", "codes"),
    [
        ("tf.cond(n > 0, some, none)", []),
        ("tf.cond(n > 3, true_fn=some, false_fn=none)", []),
        ("tf.cond(n >= 0, some, none)", ["NAN301"]),
        ("tf.cond(n > 0, none, some)", ["NAN301"]),
        ("tf.cond(n > 0, some, none) + some()", ["NAN301"]),
    ],
)
def test_the_condition_holds_in_a_function_that_is_called_nowhere_else(
    returned: str, codes: list[str]
) -> None:
    text = f"{IMPORTS}{MEAN}    return {returned}\n"
    assert [one.code for one in check_text(text, "program.py", Settings())] == codes
