"""Origins in planted programs of JAX: each on its line, and none in its sound twin."""

from __future__ import annotations

from collections.abc import Callable
from pathlib import Path
from typing import Any

import pytest

from benchmarks.witnesses.events import Event
from tests.on_demand import installed, module
from tests.witnesses.planted import marked, planted, told

jax = installed("jax")
record_jax = module("benchmarks.witnesses.record_jax")

pytestmark = pytest.mark.slow

HEAD = "import jax\nimport jax.numpy as jnp\nfrom jax import lax\n\n"

PROGRAMS = {
    "norm": """\
def program(x):
    return jnp.linalg.norm(x)  # gradient
""",
    "root of a square sum": """\
def program(x):
    squared = jnp.sum(x * x)
    return jnp.sqrt(squared)  # gradient
""",
    "where with log": """\
def program(x):
    return jnp.sum(jnp.where(x > 0, jnp.log(x), 0.0))  # gradient
""",
    "where around the operand": """\
def program(x):
    return jnp.sum(jnp.where(x > 0, jnp.log(jnp.where(x > 0, x, 1.0)), 0.0))
""",
    "exp in the branch that is not taken": """\
def program(x):
    return jnp.sum(jnp.where(x > -1, x, jnp.exp(200 - 200 * x)))  # gradient
""",
    "clipped too late": """\
def program(x):
    return jnp.sum(jnp.clip(jnp.log(x), -100, 0))  # gradient
""",
    "softmax by hand": """\
def program(x):
    e = jnp.exp(1000 * x + 1000)  # value
    return jnp.sum(e / jnp.sum(e))
""",
    "softmax": """\
def program(x):
    return jnp.sum(jax.nn.softmax(1000 * x + 1000))
""",
    "softmax of a row without an entry": """\
def program(x):
    masked = jnp.where(x > 5, x, -jnp.inf)
    return jnp.sum(jax.nn.softmax(masked))  # value, gradient
""",
    "division by a count": """\
def program(x):
    mask = x > 5
    return jnp.sum(jnp.where(mask, x, 0)) / mask.sum()  # value, gradient
""",
    "division by a count of at least one": """\
def program(x):
    mask = x > 5
    return jnp.sum(jnp.where(mask, x, 0)) / jnp.maximum(mask.sum(), 1)
""",
    "root of relu": """\
def program(x):
    return jnp.sum(jnp.sqrt(jax.nn.relu(x)))  # gradient
""",
    "handed on": """\
def program(x):
    y = jnp.log(x)  # value, gradient
    z = y + 1
    return jnp.sum(z * 2)
""",
    "deviation": """\
def program(x):
    return jnp.std(x)  # gradient
""",
    "power": """\
def program(x):
    return jnp.sum(
        x**0.5  # gradient
    )
""",
    "replaced within the library": """\
def program(x):
    return jnp.sum(jax.scipy.special.xlogy(jnp.zeros(3), x + 1)) + jnp.sum(jnp.sinc(x))
""",
    "jit": """\
@jax.jit
def inner(x):
    return jnp.sum(1 / x)  # value, gradient

def program(x):
    return inner(x)
""",
    "scan": """\
def body(total, row):
    return total + jnp.log(row), row  # value, gradient

def program(x):
    return lax.scan(body, 0.0, x)[0]
""",
    "loop": """\
def program(x):
    def body(step, total):
        return total + jnp.sum(jnp.log(x))  # value, gradient
    return lax.fori_loop(0, 2, body, 0.0)
""",
    "branch": """\
def program(x):
    def left(y):
        return jnp.sum(jnp.log(y))  # value, gradient
    return lax.cond(True, left, jnp.sum, x)
""",
    "checkpoint": """\
@jax.checkpoint
def program(x):
    return jnp.sum(jnp.sqrt(x))  # gradient
""",
    "rule of its own": """\
@jax.custom_vjp
def scaled(x):
    return 2 * x

def forward(x):
    return 2 * x, x

def backward(x, cotangent):
    return (cotangent / x,)  # gradient

scaled.defvjp(forward, backward)

def program(x):
    return jnp.sum(scaled(x))
""",
    "rule that guards": """\
@jax.custom_jvp
def root(x):
    return jnp.sqrt(x)

@root.defjvp
def rule(primals, tangents):
    (x,), (t,) = primals, tangents
    return root(x), t * jnp.where(x > 0, 0.5 / jnp.sqrt(jnp.where(x > 0, x, 1)), 0)

def program(x):
    return jnp.sum(root(x))
""",
}


def seen(folder: Path, run: Callable[[], Any]) -> list[Event]:
    """What the recorder tells of a run of programs that lie in `folder`."""
    found: list[Event] = []
    with record_jax.Recorder([folder], found.append):
        run()
    return found


@pytest.mark.parametrize("name", PROGRAMS)
def test_each_origin_is_told_at_its_line(name: str, tmp_path: Path) -> None:
    source = HEAD + PROGRAMS[name]
    program = planted(tmp_path, source).program
    x = jax.numpy.zeros(3)
    assert told(seen(tmp_path, lambda: program(x))) == marked(source, ["value"])

    def both() -> None:
        program(x)
        jax.grad(program)(x)

    assert told(seen(tmp_path, both)) == marked(source)


@pytest.mark.parametrize("name", ["norm", "where with log", "where around the operand", "jit"])
def test_a_batch_has_the_same_origins(name: str, tmp_path: Path) -> None:
    source = HEAD + PROGRAMS[name]
    program = planted(tmp_path, source).program
    x = jax.numpy.zeros((2, 3))
    found = seen(tmp_path, lambda: jax.jit(jax.vmap(jax.value_and_grad(program)))(x))
    assert told(found) == marked(source)


def test_forward_mode_has_origins_too(tmp_path: Path) -> None:
    source = HEAD + PROGRAMS["root of a square sum"]
    program = planted(tmp_path, source).program
    x = jax.numpy.zeros(3)
    found = seen(tmp_path, lambda: jax.jvp(program, (x,), (x + 1,)))
    assert told(found) == marked(source)


def test_an_origin_has_the_column_and_the_name_of_its_expression(tmp_path: Path) -> None:
    source = HEAD + "def program(x):\n    return jnp.sum(x + (\n        jnp.log(x) + 1 / x))\n"
    program = planted(tmp_path, source).program
    found = seen(tmp_path, lambda: program(jax.numpy.zeros(3)))
    assert {(event.line, event.column, event.operation) for event in found} == {
        (7, 9, "log"),
        (7, 22, "div"),
    }
    assert {event.function for event in found} == {"program"}


def test_what_lies_outside_is_told_at_the_line_that_calls_it(tmp_path: Path) -> None:
    outside, inside = tmp_path / "outside", tmp_path / "inside"
    outside.mkdir()
    inside.mkdir()
    library = planted(outside, HEAD + "def mean(x, n):\n    return x / n\n")
    program = planted(inside, "def program(mean, x):\n    return mean(x, x) + 1\n").program
    x = jax.numpy.zeros(3)
    found = seen(inside, lambda: program(library.mean, x))
    assert told(found) == {(2, "value")}


def test_the_gradient_of_a_call_is_taken_anew(tmp_path: Path) -> None:
    source = HEAD + "def program(x, *, scale=1.0):\n    import sys\n    note(sys._getframe())\n"
    source += "    return scale * jnp.linalg.norm(x)  # gradient\n"
    module = planted(tmp_path, source)
    found: list[Event] = []
    with record_jax.Recorder([tmp_path], found.append) as recorder:
        module.note = recorder.enter_call  # type: ignore[attr-defined]
        result = module.program(jax.numpy.zeros(3), scale=2.0)
        recorder.take_gradients(result)
    assert told(found) == marked(source)
