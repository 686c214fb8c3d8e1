"""Training moves what it trains: no initial value bounds it, and what nothing updates stays."""

from __future__ import annotations

import pytest

from mllint_nan.domains.truth import Truth
from tests.flow.analysed import JAX, NUMPY, TENSORFLOW, TORCH, format_logged, value_logged

LARGEST = 1e300

TRAINED = {
    "asked for a gradient": "w = torch.ones(3, requires_grad=True)",
    "filled and asked for a gradient": "w = torch.full((3,), 2.0, requires_grad=True)",
    "a number asked for a gradient": "w = torch.tensor(1.0, requires_grad=True)",
    "like another": "w = torch.ones_like(x, requires_grad=True)",
    "asked for it by a setting": "w = torch.ones(3, requires_grad=trained)",
    "asked for it by a method": "w = torch.ones(3).mul(2).requires_grad_()",
    "asked for it by a method alone": "w = torch.ones(3)\nw.requires_grad_()",
    "asked for it by an attribute": "w = torch.ones(3)\nw.requires_grad = True",
    "a parameter": "w = torch.nn.Parameter(torch.ones(3))",
    "written through its data": "w = torch.ones(3)\nfor g in grads:\n    w.data -= g",
    "given new data": "w = torch.ones(3)\nw.data = read()",
    "updated in a loop": "w = torch.ones(3)\nfor g in grads:\n    w = w - 0.1 * g",
    "updated in place in a loop": "w = torch.ones(3)\nfor g in grads:\n    w.sub_(0.1 * g)",
    "updated by a function": "w = torch.ones(3)\ndef step(g):\n    w.sub_(0.1 * g)",
    "partly updated by a function": "w = torch.ones(3)\ndef step(i, g):\n    w[i] = g",
}

KEPT = {
    "constant": "w = torch.ones(3)",
    "asked for none": "w = torch.ones(3, requires_grad=False)",
    "asked for none by a method": "w = torch.ones(3).requires_grad_(False)",
    "asked for none by an attribute": "w = torch.ones(3)\nw.requires_grad = False",
    "a function's own variable": "w = torch.ones(3)\ndef step(g):\n    w = g.clone()\n    w[0] = 1",
    "a function's own parameter": "w = torch.ones(3)\ndef step(w):\n    w[0] = 1",
    "read by a function": "w = torch.ones(3)\ndef step(g):\n    return w * g",
}


@pytest.mark.parametrize("text", TRAINED.values(), ids=TRAINED)
def test_initial_value_of_what_is_trained_bounds_nothing(text: str) -> None:
    value = value_logged(f"{text}\ntorch.log(w)")
    assert value.can_be(0.0) is not Truth.NO
    assert value.lo < 0 and value.hi > LARGEST


@pytest.mark.parametrize("text", KEPT.values(), ids=KEPT)
def test_constant_that_nothing_updates_stays_what_it_is(text: str) -> None:
    assert value_logged(f"{text}\ntorch.log(w)").lo == 1.0


@pytest.mark.parametrize(
    ("imports", "text"),
    [
        (TENSORFLOW, "w = tf.Variable(tf.ones([3]))\ntf.math.log(w)"),
        (TENSORFLOW, "w = tf.Variable(tf.ones([3]), trainable=False)\ntf.math.log(w)"),
        (TENSORFLOW, "w = tf.compat.v1.get_variable('w', [3], initializer=ones)\ntf.math.log(w)"),
        (JAX, "w = jnp.ones(3)\nfor g in grads:\n    w = w - 0.1 * g\njnp.log(w)"),
        (
            JAX,
            "w = {'a': jnp.ones(3)}\nfor g in grads:\n"
            "    w = jax.tree_util.tree_map(lambda p, d: p - d, w, g)\njnp.log(w['a'])",
        ),
        (
            JAX + "import optax\n",
            "w = {'a': jnp.ones(3)}\nfor g in updates:\n"
            "    w = optax.apply_updates(w, g)\njnp.log(w['a'])",
        ),
        (NUMPY, "w = np.ones(3)\ndef step(g):\n    w[:] = g\nnp.log(w)"),
    ],
)
def test_variables_of_other_frameworks_are_any_number(imports: str, text: str) -> None:
    value = value_logged(text, imports)
    assert value.can_be(0.0) is not Truth.NO
    assert value.lo < 0


def test_trained_tensor_starts_as_it_is_made() -> None:
    value = value_logged("w = torch.zeros(3, requires_grad=True)\ntorch.log(w)")
    assert value.can_be(0.0) is Truth.YES


def test_trained_tensor_has_the_format_in_which_it_is_made() -> None:
    made = "torch.zeros(3, dtype=torch.float64, requires_grad=True)"
    assert format_logged(f"w = {made}\ntorch.log(w)", TORCH) == "float64"


def test_what_is_computed_of_trained_tensors_keeps_its_own_bounds() -> None:
    text = "w = torch.zeros(3, requires_grad=True)\ntorch.log({})"
    assert value_logged(text.format("torch.nn.functional.softplus(w) + 1e-3")).lo > 0
    assert value_logged(text.format("w.clamp(min=0.5)")).lo == 0.5
    assert value_logged(text.format("1 + w.exp()")).lo == 1.0


def test_clamp_in_place_bounds_what_follows() -> None:
    text = "class M:\n    def forward(self):\n        {}\n        return torch.log(self.w)\n"
    assert value_logged(text.format("self.w.data.clamp_(0.5, 2.0)")).lo == 0.5
    assert value_logged(text.format("self.w.data.mul_(2.0)")).lo < -LARGEST
