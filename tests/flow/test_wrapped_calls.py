"""Layers and functions that something wraps, calls for another, or keeps: what they compute."""

from __future__ import annotations

import pytest

from mllint_nan.flow.interpreter import Interpreter
from tests.flow.analysed import JAX, TENSORFLOW, analysed, logged, occurrence, spelled

CONTRIBUTED = f"{TENSORFLOW}from tensorflow.contrib import slim\n"
GATE = "def f(x):\n    return torch.sigmoid(x)\nm = torch.nn.Sequential(torch.nn.Sigmoid())\n"


def _logged(text: str, imports: str) -> str:
    interpreter: Interpreter = analysed(text, imports)
    return spelled(occurrence(interpreter, "log").term.operands[0])


@pytest.mark.parametrize(
    ("called", "result"),
    [
        ("torch.nn.parallel.data_parallel(m, x)", "sigmoid(x)"),
        ("torch.nn.parallel.data_parallel(m, (x,), [0, 1])", "sigmoid(x)"),
        ("torch.nn.DataParallel(m)(x)", "sigmoid(x)"),
        ("torch.nn.parallel.DistributedDataParallel(m, device_ids=[0])(x)", "sigmoid(x)"),
        ("torch.utils.checkpoint.checkpoint(f, x)", "sigmoid(x)"),
        ("torch.utils.checkpoint.checkpoint(m, x, use_reentrant=False)", "sigmoid(x)"),
        ("torch.utils.checkpoint.checkpoint(g, x)", "opaque"),
        ("torch.compile(f)(x)", "sigmoid(x)"),
        ("torch.jit.trace(m, x)(x)", "sigmoid(x)"),
        ("torch.jit.script(f)(x)", "sigmoid(x)"),
        ("torch.vmap(f)(x)", "sigmoid(x)"),
        ("torch.autograd.Variable(f(x))", "identity(sigmoid(x))"),
        ("accelerator.prepare(m)(x)", "sigmoid(x)"),
        ("chef.prepare(m)(x)", "opaque"),
    ],
)
def test_wrapped_module(called: str, result: str) -> None:
    assert logged(f"{GATE}torch.log({called})") == result


def test_prepared_module_among_others() -> None:
    prepared = "m, optimizer = accelerator.prepare(m, optimizer)"
    assert logged(f"{GATE}{prepared}\ntorch.log(m(x))") == "sigmoid(x)"


@pytest.mark.parametrize(
    ("decorator", "result"),
    [
        ("@jax.jit", "sigmoid(x)"),
        ("@functools.partial(jax.jit, static_argnums=1)", "sigmoid(x)"),
        ("@jax.checkpoint", "sigmoid(x)"),
        ("@jax.custom_vjp", "opaque"),
        ("@functools.partial(jax.custom_jvp, nondiff_argnums=1)", "opaque"),
        ("@memoized", "opaque"),
        ("@jit", "opaque"),
        ("@functions.function", "opaque"),
    ],
)
def test_decorated_function(decorator: str, result: str) -> None:
    text = f"import functools\n{decorator}\ndef f(x):\n    return jax.nn.sigmoid(x)\njnp.log(f(x))"
    assert _logged(text, JAX) == result


@pytest.mark.parametrize("name", ["jit", "compile", "script", "function"])
def test_decorator_of_the_program_is_not_believed_by_its_name(name: str) -> None:
    own = f"def {name}(f):\n    return lambda x: f(x).clamp(min=0.1)\n"
    text = f"{own}@{name}\ndef f(x):\n    return torch.sigmoid(x)\ntorch.log(f(x))"
    assert logged(text) == "opaque"


@pytest.mark.parametrize("wrapper", ["jax.jit", "jax.vmap", "jax.pmap", "jax.checkpoint"])
def test_transformed_function(wrapper: str) -> None:
    text = f"def f(x):\n    return jax.nn.sigmoid(x)\njnp.log({wrapper}(f)(x))"
    assert _logged(text, JAX) == "sigmoid(x)"


@pytest.mark.parametrize(
    ("called", "result"),
    [
        ("tf.layers.dense(x, 2, tf.nn.relu)", "relu(opaque)"),
        ("tf.layers.dense(x, 2, activation=tf.sigmoid)", "sigmoid(opaque)"),
        ("tf.layers.dense(inputs=x, units=2, activation='softmax')", "softmax(opaque, axis=-1)"),
        ("tf.compat.v1.layers.conv2d(x, 2, 3, activation=tf.nn.relu)", "relu(opaque)"),
        ("tf.layers.dense(x, 2)", "opaque"),
        ("tf.layers.dense(x, 2, activation=given)", "opaque"),
        ("tf.contrib.layers.fully_connected(x, 2)", "relu(opaque)"),
        ("tf.contrib.layers.fully_connected(x, 2, None)", "opaque"),
        ("slim.conv2d(x, 2, [3, 3], activation_fn=tf.nn.sigmoid)", "sigmoid(opaque)"),
        ("slim.batch_norm(x)", "opaque"),
    ],
)
def test_layer_of_tensorflow_1_with_its_activation(called: str, result: str) -> None:
    assert _logged(f"tf.math.log({called})", CONTRIBUTED) == result


def test_default_activation_is_not_known_inside_an_arg_scope() -> None:
    scope = "with slim.arg_scope([slim.conv2d], activation_fn=None):\n    y = slim.conv2d(x, 2, 3)"
    assert _logged(f"{scope}\ntf.math.log(y)", CONTRIBUTED) == "opaque"


@pytest.mark.parametrize(
    ("between", "result"),
    [
        ("", "sigmoid(x)"),
        ("g.edata['h'] = x", "sigmoid(x)"),
        ("g.ndata['k'] = x", "sigmoid(x)"),
        ("g.ndata['h'] = torch.relu(x)", "relu(x)"),
        ("h.ndata['h'] = x", "sigmoid(x)"),
        ("g.update_all(send, reduce)", "opaque"),
        ("pass_messages(g)", "opaque"),
    ],
)
def test_entry_of_an_attribute_is_what_was_stored(between: str, result: str) -> None:
    stored = "g.ndata['h'] = torch.sigmoid(x)"
    assert logged(f"{stored}\n{between}\ntorch.log(g.ndata['h'])") == result


@pytest.mark.parametrize(
    ("called", "result"),
    [
        ("jax.vmap(jax.nn.softmax)(x)", "softmax(x, axis=-1)"),
        ("jax.vmap(jnp.tanh)(x)", "tanh(x)"),
        ("jax.vmap(jnp.linalg.norm)(x)", "opaque"),  # of all axes but the first
        ("jax.vmap(jax.nn.softmax, in_axes=1)(x)", "opaque"),
    ],
)
def test_function_of_the_framework_that_is_mapped(called: str, result: str) -> None:
    assert _logged(f"y = jnp.log({called})", JAX) == result


def test_object_that_is_called_in_its_own_method() -> None:
    text = """
class Gate(torch.nn.Module):
    def forward(self, x):
        return torch.sigmoid(x)
    def loss(self, x):
        return torch.log(self(x))
"""
    assert logged(text) == "sigmoid(x)"
