"""A fix moves no 0 that the program asks about: assertions still fail, branches are still taken.

Each program is executed before and after its fixes, where what it asks about is 0 and where it is
not.
"""

from __future__ import annotations

import numpy as np
import pytest

from tests.fixing.programs import gradient, repaired, value, whole

pytestmark = pytest.mark.slow

X = [[3.0, -1.0, 0.5], [0.25, 2.0, 1.0]]
EQUAL = [[3.0, -1.0, 0.5], [3.0, -1.0, 0.5]]
ROOT = "theta = torch.sqrt((x - y).pow(2).mean(-1))\n    "
JAX_ROOT = "theta = jnp.sqrt(jnp.mean((x - y) ** 2, -1))\n    "
TENSORFLOW_ROOT = "theta = tf.sqrt(tf.reduce_mean((x - y) ** 2, -1))\n    "
JAX_NORM = "theta = jnp.linalg.norm(x - y, axis=-1)\n    "


def _f(body: str) -> str:
    return f"def f(x, y):\n    {body}"


ASKED = {
    "compared with 0": ("torch", _f(ROOT + "return theta[theta != 0].sum() + (theta == 0).sum()")),
    "below an epsilon": (
        "torch",
        _f(ROOT + "return torch.where(theta > 1e-8, torch.sin(theta) / theta, 1.0)"),
    ),
    "below a parameter's default": (
        "torch",
        "def f(x, y, tol=1e-7):\n    " + ROOT + "return torch.where(theta < tol, -1.0, theta)",
    ),
    "below a threshold of its format": (
        "torch",
        _f(
            ROOT
            + "tol = 1e-6 if x.dtype == torch.float32 else 1e-11\n"
            + "    return torch.where(torch.abs(theta) < tol, -1.0, theta)"
        ),
    ),
    "asserted": ("torch", _f(ROOT + "assert (theta > 0).all()\n    return theta")),
    "asserted not to be close": (
        "torch",
        _f(
            ROOT
            + "assert not torch.isclose(theta, torch.zeros_like(theta)).all()\n    return theta * 2"
        ),
    ),
    "all close": (
        "torch",
        _f(ROOT + "return theta + float(torch.allclose(theta, torch.zeros_like(theta)))"),
    ),
    "a condition": (
        "torch",
        _f(
            "theta = torch.sqrt((x - y).pow(2).mean())\n"
            "    return x.sum() if theta else y.sum() * 7"
        ),
    ),
    "a test of a statement": (
        "torch",
        _f(
            "theta = torch.sqrt((x - y).pow(2).mean())\n"
            "    if not theta:\n        return -x.sum()\n"
            "    return theta"
        ),
    ),
    "of a scaled result": (
        "torch",
        _f(ROOT + "half = theta / 2\n    return half * (half != 0) + (half == 0) * 5"),
    ),
    "of a maximum": (
        "torch",
        _f(ROOT + "if theta.max() == 0:\n        raise ValueError\n    return theta"),
    ),
    "through two branches": (
        "torch",
        _f(
            ROOT + "if x.shape[0] > 100:\n        theta = theta * 2\n"
            "    return torch.where(theta == 0, torch.full_like(theta, 9.0), theta)"
        ),
    ),
    "counted": ("torch", _f(ROOT + "return theta.sum() + torch.count_nonzero(theta)")),
    "nonzero": ("torch", _f(ROOT + "return theta.sum() + len(torch.nonzero(theta))")),
    "a sign": ("torch", _f(ROOT + "return theta.sum() + torch.sign(theta)")),
    "a mask by conversion": ("torch", _f(ROOT + "return theta.sum() + theta.bool().sum()")),
    "a quotient that is tested": (
        "torch",
        _f(ROOT + "q = x[0] / theta.mean()\n    return torch.where(torch.isfinite(q), q, 4.0)"),
    ),
    "returned from a function": (
        "torch",
        "def distance(x, y):\n    return torch.sqrt((x - y).pow(2).mean(-1))\n\n\n"
        "def f(x, y):\n    d = distance(x, y)\n    return (d == 0).sum() + d",
    ),
    "returned as one of two": (
        "torch",
        "def polar(x, y):\n    r = torch.sqrt((x - y).pow(2).mean(-1))\n    return x, r\n\n\n"
        "def f(x, y):\n    _, r = polar(x, y)\n    return (r == 0).sum() + r",
    ),
    "from a long function": (
        "torch",
        "def distance(x, y):\n    for _ in range(3):\n        x = x + 0\n        print(end='')\n"
        "    r = torch.sqrt((x - y).pow(2).mean(-1))\n    print(end='')\n    print(end='')\n"
        "    print(end='')\n    print(end='')\n    print(end='')\n    return r\n\n\n"
        "def f(x, y):\n    r = distance(x, y)\n    return (r == 0).sum() + r",
    ),
    "kept in an attribute": (
        "torch",
        "class Scale:\n    def set(self, x, y):\n"
        "        self.theta = torch.sqrt((x - y).pow(2).mean(-1))\n\n"
        "    def get(self):\n        return (self.theta == 0).sum() + self.theta\n\n\n"
        "def f(x, y):\n    scale = Scale()\n    scale.set(x, y)\n    return scale.get()",
    ),
    "a clamp at 0": (
        "torch",
        _f(
            "theta = torch.sqrt((x - y).mean(-1).clamp(min=0))\n    return theta + (theta == 0) * 3"
        ),
    ),
    "a fractional power": (
        "torch",
        _f("theta = (x - y).abs().mean(-1) ** 0.4\n    return theta + (theta == 0) * 3"),
    ),
    "a root and an epsilon": (
        "torch",
        _f("r = torch.sqrt((x - y).pow(2).mean(-1))\n    return 1 / (r + 1e-3) + (r == 0)"),
    ),
    "compared with 0 in JAX": ("jax", _f(JAX_ROOT + "return jnp.where(theta == 0, 5.0, theta)")),
    "below an epsilon in JAX": (
        "jax",
        _f(JAX_ROOT + "return jnp.where(theta < 1e-6, 1.0, theta * 2)"),
    ),
    "a sum of squares in JAX": (
        "jax",
        _f("d = jnp.sqrt(jnp.sum((x - y) ** 2, -1))\n    return d + jnp.isclose(d, 0.0, atol=0.0)"),
    ),
    "compared with 0 in TensorFlow": (
        "tensorflow",
        _f(TENSORFLOW_ROOT + "return tf.where(tf.equal(theta, 0.0), 5.0, theta)"),
    ),
    "divided without NaN in TensorFlow": (
        "tensorflow",
        _f(TENSORFLOW_ROOT + "return tf.math.divide_no_nan(x[:, 0], theta) + theta"),
    ),
}


@pytest.mark.parametrize("name", ASKED)
def test_the_program_decides_as_before(name: str) -> None:
    framework, text = ASKED[name]
    before = whole(framework, text)
    after = repaired(before)
    assert after != before
    assert "1e-12" not in after and "1e-37" not in after
    for other in (X, EQUAL, [X[0], EQUAL[0]], [[3.0, -1.0, 0.5 + 1e-5], EQUAL[1]]):
        old, new = (value(framework, program, EQUAL, other) for program in (before, after))
        assert str(old) == str(new), after


DIFFERENTIATED = {
    name: ASKED[name] for name in ("of a scaled result", "compared with 0 in JAX")
} | {
    "root alone": (
        "torch",
        _f(ROOT + "assert (theta == theta.min()).any()\n    return theta + (theta == 0)"),
    ),
    "power alone": ASKED["a fractional power"],
    "TensorFlow": (
        "tensorflow",
        _f(TENSORFLOW_ROOT + "return theta + tf.cast(theta == 0.0, tf.float32)"),
    ),
}


@pytest.mark.parametrize("name", DIFFERENTIATED)
def test_its_gradient_is_finite_where_it_is_0(name: str) -> None:
    framework, text = DIFFERENTIATED[name]
    after = repaired(whole(framework, text))
    assert np.isfinite(gradient(framework, after, EQUAL, EQUAL)).all(), after
    assert np.isfinite(gradient(framework, after, EQUAL, [EQUAL[0], X[1]])).all(), after


ONLY_SHOWN = {
    "a norm of JAX": ("jax", _f(JAX_NORM + "return jnp.where(theta == 0, 5.0, theta)")),
    "a norm of JAX as a mask": (
        "jax",
        _f(JAX_NORM + "return theta.sum() + theta[theta != 0].sum()"),
    ),
    "a norm of TensorFlow": (
        "tensorflow",
        _f(
            "theta = tf.norm(x - y, axis=-1)\n    return tf.where(tf.equal(theta, 0.0), 5.0, theta)"
        ),
    ),
    "a deviation of JAX": (
        "jax",
        _f("s = jnp.std(x - y, -1)\n    return jnp.where(s == 0, 1.0, s)"),
    ),
    "an angle": (
        "torch",
        _f(
            "theta = torch.acos(torch.clamp((x * y).sum(-1), -1, 1))\n"
            "    return theta.sum() + theta[theta != 0.0].sum()"
        ),
    ),
    "an angle of a cosine": (
        "torch",
        _f(
            "theta = torch.acos(F.cosine_similarity(x, y, dim=-1))\n"
            "    return torch.where(theta < 1e-6, 1.0, theta)"
        ),
    ),
    "a hyperbolic distance": (
        "torch",
        _f("d = torch.acosh((1 + (x - y).pow(2).sum(-1)).clamp(min=1))\n    return d + (d == 0)"),
    ),
}


@pytest.mark.parametrize("name", ONLY_SHOWN)
def test_what_cannot_keep_its_0_is_never_applied(name: str) -> None:
    framework, text = ONLY_SHOWN[name]
    before = whole(framework, text)
    assert repaired(before) == before


NOT_ASKED = {
    "handed on": ("torch", _f(ROOT + "return theta.sum()"), "1e-37"),
    "far from 0": ("torch", _f(ROOT + "return theta * (theta < 0.5)"), "1e-37"),
    "compared with another": ("torch", _f(ROOT + "return theta * (theta < y.mean())"), "1e-37"),
    "compared with its own maximum": (
        "torch",
        _f(ROOT + "return theta * (theta >= theta.max())"),
        "1e-37",
    ),
    "the finiteness of a loss": (
        "torch",
        _f(ROOT + "loss = theta.mean()\n    assert torch.isfinite(loss)\n    return loss"),
        "1e-37",
    ),
    "what it is made of is asked": (
        "torch",
        _f("assert x.shape[0] != 0\n    " + ROOT + "return theta.sum()"),
        "1e-37",
    ),
    "another function's": (
        "torch",
        "def g(theta):\n    return theta == 0\n\n\n" + _f(ROOT + "return theta.sum()"),
        "1e-37",
    ),
    "handed on in JAX": ("jax", _f(JAX_ROOT + "return theta.sum()"), "1e-37"),
    "a norm of JAX": ("jax", _f(JAX_NORM + "return theta.mean()"), "1e-37"),
    "a norm of JAX against a margin": (
        "jax",
        _f(JAX_NORM + "return jnp.where(theta < 1.0, theta, 0.0).sum()"),
        "1e-37",
    ),
    "handed on in TensorFlow": (
        "tensorflow",
        _f(TENSORFLOW_ROOT + "return tf.reduce_sum(theta)"),
        "1e-37",
    ),
    "an angle": (
        "torch",
        _f("return torch.acos(torch.clamp((x * y).sum(-1), -1, 1)).sum()"),
        "1e-7",
    ),
}


@pytest.mark.parametrize("name", NOT_ASKED)
def test_what_nothing_asks_about_keeps_its_floor(name: str) -> None:
    framework, text, epsilon = NOT_ASKED[name]
    before = whole(framework, text)
    after = repaired(before)
    assert epsilon in after
    old, new = (value(framework, program, X, EQUAL)[0] for program in (before, after))
    assert np.allclose(old, new, atol=1e-3, equal_nan=True)
