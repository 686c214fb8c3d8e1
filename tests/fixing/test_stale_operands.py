"""Between an operand and its use something changes it: the old text must not be used again."""

from __future__ import annotations

import textwrap

import pytest

from mllint_nan.linter import Settings, fix_bytes

UNCHANGED = {
    "deleted": """
        def f(x):
            p = torch.softmax(x, 0)
            del x
            return torch.log(p)
        """,
    "nested function, rebound before the call": """
        def f(x):
            p = torch.softmax(x, 0)
            def g():
                return torch.log(p)
            x = x + 1
            return g()
        """,
    "class body does not reach into methods": """
        p = torch.softmax(w, 0) + 1
        class C:
            p = torch.softmax(w, 0)
            def m(self):
                return torch.log(p)
        """,
    "nonlocal": """
        def f(x):
            p = torch.softmax(x, 0)
            def g():
                nonlocal p
                p = p + 1
            g()
            return torch.log(p)
        """,
    "handler": """
        def f(x):
            p = torch.softmax(x, 0)
            try:
                x = x + 1
                return risky(p)
            except ValueError:
                return torch.log(p)
        """,
    "walrus in a loop": """
        def f(x):
            p = torch.softmax(x, 0)
            for i in range(3):
                y = torch.log(p)
                g(x := x + 1)
            return y
        """,
    "alias written into": """
        def f(x):
            q = x
            p = torch.softmax(x, 0)
            q += 1
            return torch.log(p)
        """,
    "unknown in-place method": """
        def f(x, z):
            p = torch.softmax(x, 0)
            x.copy_(z)
            return torch.log(p)
        """,
    "out argument": """
        def f(x, p):
            p = torch.softmax(x, 0)
            torch.clamp(p, 1e-6, 1, out=p)
            return torch.log(p)
        """,
    "no gradient where the operand is made": """
        def f(x):
            with torch.no_grad():
                p = torch.softmax(x, 0)
            return torch.log(p)
        """,
    "generator": """
        def h(p):
            yield p
        def f(x):
            return torch.log(h(torch.softmax(x, 0)))
        """,
    "walrus inside": """
        def f(x):
            return torch.log(p := torch.softmax(x, 0)) + p
        """,
}


@pytest.mark.parametrize("body", UNCHANGED.values(), ids=UNCHANGED)
def test_fix_is_not_offered(body: str) -> None:
    data = ("import torch\n" + textwrap.dedent(body)).encode()
    assert fix_bytes(data, "a.py", Settings(unsafe_fixes=True)).data == data


def fixed(body: str, imports: str = "import torch\n") -> str:
    data = (imports + textwrap.dedent(body)).encode()
    return fix_bytes(data, "a.py", Settings(unsafe_fixes=True)).data.decode()


def test_keyword_before_a_parenthesis_keeps_it() -> None:
    assert "return(torch.log_softmax(x, dim=0))" in fixed(
        "def f(x):\n    return(torch.log(torch.softmax(x, 0)))\n"
    )


def test_attribute_is_given_a_name_instead_of_being_read_again() -> None:
    text = fixed("""
        class C:
            def m(self):
                p = torch.softmax(self.h, 0)
                self.step()
                return torch.log(p)
        """)
    assert "p_logits = self.h" in text
    assert "torch.log_softmax(p_logits, dim=0)" in text


def test_alias_that_is_bound_later_is_not_used() -> None:
    text = fixed(
        "def f(x):\n    y = log(sigmoid(x))\n    F = 3\n    return y, F\n",
        "from torch import log, sigmoid\n",
    )
    assert "F.logsigmoid" not in text


def test_import_under_a_condition_is_not_relied_on() -> None:
    text = fixed(
        "if c:\n    import torch.nn.functional as F\ndef f(x):\n    return log(sigmoid(x))\n",
        "from torch import log, sigmoid\n",
    )
    assert "F.logsigmoid" not in text


def test_stored_value_is_not_changed_for_its_other_readers() -> None:
    text = fixed(
        """
        class C:
            def m(self, x):
                self.e = np.exp(x)
                return self.e / np.sum(self.e)
        """,
        "import numpy as np\n",
    )
    assert "self.e = np.exp(x)" in text


def test_variable_of_tensorflow_that_is_assigned_meanwhile_is_not_read_again() -> None:
    text = fixed(
        """
        def f(v, d):
            p = tf.nn.softmax(v)
            v.assign_add(d)
            return tf.math.log(p)
        """,
        "import tensorflow as tf\n",
    )
    assert "tf.math.log(p)" in text


def test_new_array_made_of_an_operand_leaves_the_operand_as_it_was() -> None:
    text = fixed(
        """
        def f(x):
            p = jax.nn.softmax(x)
            y = x.at[0].add(1.0)
            return jnp.log(p) + y
        """,
        "import jax\nimport jax.numpy as jnp\n",
    )
    assert "jax.nn.log_softmax(x) + y" in text
